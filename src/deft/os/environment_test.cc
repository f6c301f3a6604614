#include "deft/os/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "deft/os/warden_processes.h"

namespace deft {
namespace {

using ::testing::Contains;
using ::testing::IsSubsetOf;
using ::testing::Not;
using ::testing::StartsWith;

using Variables = std::vector<std::string>;

TEST(Environment, PassesWhatIsTheUsersOwn) {
  const Variables own = {"HOME=/home/u", "CC=clang", "EMPTY=", "GITHUB_TOKEN=t", "LD_LIBRARY_PATH=/opt", "X=a=b"};
  EXPECT_THAT(own, IsSubsetOf(command_environment(own)));
}

TEST(Environment, NothingThatChangesBashGetsThrough) {
  const Variables own = {"BASH_ENV=/x",       "ENV=/x",        "BASH_FUNC_ls%%=() { rm -rf /; }",
                         "BASHOPTS=extglob",  "PS4=$(x)",      "SHELLOPTS=xtrace",
                         "POSIXLY_CORRECT=1", "CDPATH=/",      "GLOBIGNORE=*",
                         "BASH_XTRACEFD=2",   "f=() { :; }; x"};
  EXPECT_EQ(command_environment(own), command_environment({}));
  EXPECT_EQ(read_only_environment(own), read_only_environment({}));
}

TEST(Environment, SecretsOfModelApisAreLeftOut) {
  const Variables own = {"ANTHROPIC_API_KEY=sk-ant-123456", "ANTHROPIC_AUTH_TOKEN=aaaaaaaaa",
                         "OPENAI_API_KEY=sk-1234567",       "ANTHROPIC_CUSTOM_HEADERS=x-k: 1",
                         "GEMINI_API_KEY=gggggggg",         "HF_TOKEN=hhhhhhhh",
                         "AZURE_OPENAI_API_KEY=zzzzzzzz",   "DEFT_API_KEY=dddddddd"};
  EXPECT_EQ(command_environment(own), command_environment({}));
}

TEST(Environment, ASecretUnderAnotherNameIsLeftOutToo) {
  const Variables own = {"OPENAI_API_KEY=sk-1234567", "CURL_ARGS=-H 'Authorization: Bearer sk-1234567'", "MINE=other"};
  const Variables environment = command_environment(own);
  EXPECT_THAT(environment, Not(Contains(StartsWith("CURL_ARGS="))));
  EXPECT_THAT(environment, Contains("MINE=other"));
}

TEST(Environment, WhatTheUserCallsASecretIsOne) {
  const Variables own = {"MY_GATEWAY=0123456789"};
  EXPECT_THAT(command_environment(own), Contains("MY_GATEWAY=0123456789"));
  EXPECT_THAT(command_environment(own, Variables{"MY_GATEWAY"}), Not(Contains(StartsWith("MY_GATEWAY="))));
}

TEST(Environment, WhatIsNoSecretPasses) {
  const Variables own = {"OPENAI_BASE_URL=http://localhost", "ANTHROPIC_MODEL=m", "SHORT_API_KEY=1", "DEFT_MODE=x"};
  EXPECT_THAT(own, IsSubsetOf(command_environment(own)));
}

TEST(Environment, NothingWaitsForAPerson) {
  const Variables own = {"PAGER=less", "GIT_PAGER=delta", "EDITOR=vim", "TERM=xterm-256color", "SSH_ASKPASS=/x"};
  const Variables environment = command_environment(own);
  for (const char* expected : {"PAGER=cat", "GIT_PAGER=cat", "EDITOR=/bin/false", "GIT_EDITOR=/bin/false", "TERM=dumb",
                               "GIT_TERMINAL_PROMPT=0"}) {
    EXPECT_THAT(environment, Contains(expected));
  }
  for (const std::string& dropped : own) EXPECT_THAT(environment, Not(Contains(dropped)));
}

TEST(Environment, AMalformedOrRepeatedVariableCannotSmuggleAnything) {
  const Variables own = {"novalue", "=x", std::string("A=1\0B=2", 7), "A B=1", "X=first", "X=second", "1X=1"};
  const Variables environment = command_environment(own);
  EXPECT_THAT(environment, Contains("X=first"));
  EXPECT_EQ(environment.size(), command_environment({}).size() + 1);
}

TEST(Environment, ThereIsAlwaysAPath) {
  EXPECT_THAT(command_environment({}), Contains(StartsWith("PATH=/")));
  EXPECT_THAT(read_only_environment(Variables{"PATH=.::rel"}), Contains(StartsWith("PATH=/")));
}

TEST(Environment, AReadOnlyCallGetsOnlyWhatIsOnTheList) {
  const Variables own = {"HOME=/home/u",     "LANG=C.UTF-8",       "LC_ALL=C",          "LC_TIME=/tmp/evil",
                         "LD_PRELOAD=/x.so", "LESSOPEN=|/x %s",    "GIT_SSH_COMMAND=x", "RIPGREP_CONFIG_PATH=/x",
                         "PYTHONPATH=/x",    "GREP_OPTIONS=--x",   "NODE_OPTIONS=-r x", "PATH=.:/usr/bin:rel:/bin:",
                         "TZ=Europe/Berlin", "GIT_EXTERNAL_DIFF=x"};
  Variables expected = {"HOME=/home/u", "LANG=C.UTF-8", "LC_ALL=C", "TZ=Europe/Berlin", "PATH=/usr/bin:/bin"};
  const Variables environment = read_only_environment(own);
  EXPECT_THAT(expected, IsSubsetOf(environment));
  EXPECT_THAT(environment, Contains("GIT_OPTIONAL_LOCKS=0"));
  EXPECT_EQ(environment.size(), read_only_environment({}).size() + expected.size() - 1);
}

TEST(Environment, AFunctionThatTheUserExportedIsUnknownToTheCommandsBash) {
  const SystemClock clock;
  WardenProcesses processes(clock);
  const Variables own = {"BASH_FUNC_true%%=() { echo hijacked; }", "PATH=/usr/bin:/bin"};
  const auto output_of = [&](const Variables& environment) {
    std::string output;
    const Command command{.argv = {"/bin/bash", "--noprofile", "--norc", "-c", "true"}, .environment = environment};
    EXPECT_TRUE(processes.run(command, [&](OutputStream, std::string_view bytes) { output.append(bytes); }, {}));
    return output;
  };
  EXPECT_EQ(output_of(own), "hijacked\n");
  EXPECT_EQ(output_of(command_environment(own)), "");
}

}  // namespace
}  // namespace deft
