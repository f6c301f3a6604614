#include <gtest/gtest.h>

#include "deft/testing/places.h"
#include "deft_exec.h"

namespace deft::testing {
namespace {

std::string output_of(std::vector<std::string> argv, std::vector<std::string> environment, int& exit_code) {
  argv.insert(argv.begin(), DEFT_PROGRAM);
  Program program({.argv = std::move(argv), .environment = std::move(environment), .directory = "/"});
  program.close_input();
  std::string output;
  while (const auto line = program.read_line()) output += *line + "\n";
  exit_code = program.wait();
  return output;
}

TEST(Doctor, SaysWhatIsInForceAndWhichSecretsAreNotHandedOn) {
  int exit_code = -1;
  const std::string text = output_of({"doctor"}, {"PATH=/usr/bin:/bin", "OPENAI_API_KEY=secret-value"}, exit_code);
  EXPECT_EQ(exit_code, 0) << text;
  for (const char* expected : {"landlock", "ending commands", "read-only commands", "OPENAI_API_KEY", "systemd-run"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\n" << text;
  }
  EXPECT_EQ(text.find("secret-value"), std::string::npos);
  EXPECT_EQ(text.find('\x1B'), std::string::npos);
}

TEST(Doctor, SaysWhatMustBeRepaired) {
  int exit_code = -1;
  const std::string text = output_of({"doctor", "--json"}, {"PATH=/usr/bin:/bin", "TMPDIR=/no/such/folder"}, exit_code);
  EXPECT_EQ(exit_code, 1);
  const auto json = parse_json(text);
  ASSERT_TRUE(json) << text;
  EXPECT_EQ(find_bool(*json, "healthy"), false);
  EXPECT_GE(find_array(*json, "findings")->size(), 8U);
}

TEST(Doctor, UnknownOptionsAreRefused) {
  int exit_code = -1;
  output_of({"doctor", "--fix"}, {"PATH=/usr/bin:/bin"}, exit_code);
  EXPECT_EQ(exit_code, 2);
}

}  // namespace
}  // namespace deft::testing
