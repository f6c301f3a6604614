#include "deft/lsp/language_servers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "deft/lsp/file_uri.h"
#include "deft/testing/lsp_bench.h"
#include "deft/testing/places.h"
#include "deft/testing/real_processes.h"

namespace deft::lsp {
namespace {

using deft::testing::eventually;
using deft::testing::LspBench;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(LanguageServers, OneIsStartedWhenItIsFirstNeededAndKept) {
  LspBench bench;
  bench.folder.put("a.fake", "x\n");
  EXPECT_THAT(bench.servers->running(), IsEmpty());
  bench.ask("hover", "a.fake", 1, 1);
  const auto first = bench.servers->running();
  ASSERT_THAT(first, SizeIs(1));
  bench.ask("hover", "a.fake", 1, 1);
  EXPECT_EQ(bench.servers->running(), first);
}

TEST(LanguageServers, CallsSideBySideShareOne) {
  LspBench bench;
  bench.folder.put("a.fake", "x\n");
  std::vector<std::jthread> calls;
  for (int i = 0; i < 8; ++i) {
    calls.emplace_back([&] { EXPECT_EQ(bench.ask("hover", "a.fake", 1, 1), "x"); });
  }
  calls.clear();
  const std::string log = bench.log();
  EXPECT_EQ(log.find("\"initialize\""), log.rfind("\"initialize\""));
}

TEST(LanguageServers, OneThatDiesIsStartedAgainWithinTheCall) {
  const TempFolder mark;
  LspBench bench({.arguments = {"die-on=textDocument/hover", "once=" + (mark / "died")}});
  bench.folder.put("a.fake", "x\n");
  EXPECT_EQ(bench.ask("hover", "a.fake", 1, 1), "x");
}

TEST(LanguageServers, OneThatDiesAgainAndAgainIsGivenUpWithWhatItSaid) {
  LspSettings settings;
  LanguageServerSpec spec{.name = "dying", .programs = {DEFT_FAKE_LANGUAGE_SERVER}};
  spec.arguments = {"die-on=textDocument/hover"};
  spec.languages[".die"] = "die";
  spec.restarts_max = 1;
  settings.servers.push_back(std::move(spec));
  LspBench bench({.settings = std::move(settings)});
  bench.folder.put("a.die", "x\n");
  EXPECT_EQ(bench.ask("hover", "a.die", 1, 1), "dying is gone: it ended with exit code 3 (the fake server is broken).");
  EXPECT_THAT(bench.ask("hover", "a.die", 1, 1), AllOf(HasSubstr("died 2 times"), HasSubstr("not started again")));
}

TEST(LanguageServers, OneThatDoesNotStartSaysWhy) {
  LspBench bench({.arguments = {"die-at-start"}});
  bench.folder.put("a.fake", "x\n");
  EXPECT_THAT(bench.ask("hover", "a.fake", 1, 1),
              AllOf(HasSubstr("could not be started"), HasSubstr("no such option: die-at-start")));
}

TEST(LanguageServers, WhatIsNoMessageEndsTheServerAndIsShown) {
  LspBench bench({.arguments = {"garbage-on=textDocument/hover"}});
  bench.folder.put("a.fake", "x\n");
  EXPECT_THAT(bench.ask("hover", "a.fake", 1, 1), HasSubstr("Segmentation fault"));
  LspBench endless({.arguments = {"huge-on=textDocument/hover"}});
  endless.folder.put("a.fake", "x\n");
  EXPECT_THAT(endless.ask("hover", "a.fake", 1, 1), HasSubstr("at most 32.0 MB are read"));
}

TEST(LanguageServers, OneThatSaysVeryMuchIsStillHeard) {
  LspBench bench({.arguments = {"flood"}});
  bench.folder.put("a.fake", "x\n");
  EXPECT_EQ(bench.ask("hover", "a.fake", 1, 1), "x");
}

TEST(LanguageServers, OneThatGivesUpIsAskedAgain) {
  LspBench bench({.arguments = {"stale=2"}});
  bench.folder.put("a.fake", "x\n");
  EXPECT_EQ(bench.ask("hover", "a.fake", 1, 1), "x");
}

TEST(LanguageServers, ACallThatIsCancelledEndsAtOnceAndTheServerIsTold) {
  LspBench bench({.arguments = {"hang-on=textDocument/hover"}});
  bench.folder.put("a.fake", "x\n");
  std::jthread user([&] {
    EXPECT_TRUE(eventually([&] { return bench.log().find("textDocument/hover") != std::string::npos; }));
    bench.bench.stop().request_stop();
  });
  EXPECT_EQ(
      bench.call(JsonObject{{"operation", "hover"}, {"file_path", bench.folder / "a.fake"}, {"line", 1}, {"column", 1}})
          .error()
          .code,
      Errc::cancelled);
  EXPECT_TRUE(eventually([&] { return bench.log().find("$/cancelRequest") != std::string::npos; }));
}

TEST(LanguageServers, OneThatDoesNotAnswerIsWaitedForNoLongerThanTheDeadline) {
  LspBench bench({.arguments = {"hang-on=textDocument/hover"}});
  bench.folder.put("a.fake", "x\n");
  bench.ask("definition", "a.fake", 1, 1);
  const auto server = bench.servers->running().at(0);
  const auto result = server->request("textDocument/hover", JsonObject(),
                                      {.deadline = bench.clock.now() + std::chrono::milliseconds(20)});
  EXPECT_EQ(result.error().code, Errc::timeout);
  EXPECT_THAT(result.error().message, HasSubstr("fake did not answer textDocument/hover in time"));
}

TEST(LanguageServers, OneThatReadsNothingIsEndedBeforeItFillsTheMemory) {
  LspBench bench({.arguments = {"deaf"}});
  bench.folder.put("a.fake", "x\n");
  std::jthread user([&] {
    EXPECT_TRUE(eventually([&] { return !bench.servers->running().empty(); }));
    const auto server = bench.servers->running().at(0);
    const std::string text(std::size_t{8} << 20, 'x');
    for (std::size_t bytes = 0; bytes <= kOutboxBytesMax; bytes += std::size_t{8} << 20) {
      server->request("fake/much", JsonObject{{"text", text}}, {.deadline = bench.clock.now()}).error();
    }
    EXPECT_THAT(server->ended().value_or(""), HasSubstr("does not read"));
    bench.bench.stop().request_stop();
  });
  bench.ask("hover", "a.fake", 1, 1);
}

TEST(LanguageServers, WhatAServerAsksItsClientIsAnswered) {
  LspBench bench({.arguments = {"ask"}});
  bench.folder.put("a.fake", "x\n");
  bench.ask("hover", "a.fake", 1, 1);
  EXPECT_TRUE(eventually([&] { return bench.log().find("\"id\":5") != std::string::npos; }));
  const std::string log = bench.log();
  EXPECT_THAT(log, HasSubstr(R"("id":1,"result":[7])"));
  EXPECT_THAT(log, HasSubstr(R"("id":2,"result":null)"));
  EXPECT_THAT(log, HasSubstr(R"("id":3,"result":null)"));
  EXPECT_THAT(log, HasSubstr(R"("id":4,"result":{"applied":false)"));
  EXPECT_THAT(log, HasSubstr(R"("id":5,"error":{"code":-32601)"));
}

TEST(LanguageServers, OneThatStillReadsTheProjectIsWaitedForAndThenSaid) {
  LspBench bench({.arguments = {"busy"}});
  bench.folder.put("a.fake", "def x\n");
  bench.ask("hover", "a.fake", 1, 1);
  const auto server = bench.servers->running().at(0);
  ASSERT_TRUE(eventually([&] { return server->wait_until_idle({.deadline = bench.clock.now()}).has_value(); }));
  EXPECT_EQ(server->wait_until_idle({.deadline = bench.clock.now()}), "reading everything");
  bench.folder.put("a.fake", "def x 2\n");
  EXPECT_THAT(bench.ask("references", "a.fake", 1, 5), Not(HasSubstr("busy"))) << "the change has ended it";
}

TEST(LanguageServers, OneThatWatchesFilesIsToldOfThoseThatItWasNotShown) {
  LspBench bench({.arguments = {"watch"}});
  bench.folder.put("a.fake", "x\n");
  bench.folder.put("gone.fake", "x\n");
  bench.folder.put("other.fake", "x\n");
  bench.ask("hover", "a.fake", 1, 1);
  ASSERT_TRUE(eventually([&] { return bench.servers->running().at(0)->abilities().watches_files; }));
  bench.folder.put("new.fake", "y\n");
  bench.folder.put("new.txt", "y\n");
  bench.folder.put("other.fake", "longer\n");
  std::filesystem::remove(bench.folder / "gone.fake");
  bench.ask("hover", "a.fake", 1, 1);
  const auto told = [&](std::string_view file, int kind) {
    return R"({"uri":")" + file_uri(bench.folder / file) + R"(","type":)" + std::to_string(kind) + "}";
  };
  EXPECT_THAT(bench.log(), HasSubstr(told("gone.fake", 3) + "," + told("new.fake", 1) + "," + told("other.fake", 2)));
  EXPECT_THAT(bench.log(), Not(HasSubstr("new.txt")));
}

TEST(LanguageServers, TheyEndWithTheSession) {
  const deft::testing::ProcessMark mark;
  {
    LspSettings settings;
    for (const std::string how : {"plain", "stays", "deaf"}) {
      LanguageServerSpec spec{.name = how, .programs = {DEFT_FAKE_LANGUAGE_SERVER}};
      spec.arguments = {how};
      spec.languages["." + how] = how;
      spec.environment = {mark.variable()};
      settings.servers.push_back(std::move(spec));
    }
    LspBench bench({.settings = std::move(settings)});
    for (const std::string how : {"plain", "stays"}) {
      bench.folder.put("a." + how, "x\n");
      EXPECT_EQ(bench.ask("hover", "a." + how, 1, 1), "x");
    }
    EXPECT_THAT(mark.alive(), SizeIs(2));
  }
  EXPECT_TRUE(eventually([&] { return mark.alive().empty(); }));
}

TEST(LanguageServers, AfterAChangeNewErrorsAreSaidAndOldOnesAreNot) {
  for (const std::string how : {"versions", "no-versions", "pull"}) {
    LspBench bench({.arguments = {how}});
    bench.folder.put("a.fake", "old BAD\n");
    EXPECT_EQ(bench.look_at("a.fake"), "") << "nothing runs, so nothing is started";
    EXPECT_THAT(bench.servers->running(), IsEmpty());
    bench.ask("diagnostics", "a.fake");
    bench.folder.put("a.fake", "first\nold BAD\nnew BAD\n");
    EXPECT_EQ(bench.look_at("a.fake"), "New errors, says fake:\na.fake:3:5: error: new BAD [bad]") << how;
    bench.folder.put("a.fake", "first\nold BAD\n");
    EXPECT_EQ(bench.look_at("a.fake"), "") << how;
  }
}

TEST(LanguageServers, AFileThatTheServerHasNotSeenBeforeHasErrorsThatMayBeOlder) {
  LspBench bench;
  bench.folder.put("a.fake", "x\n");
  bench.folder.put("b.fake", "BAD\n");
  bench.ask("hover", "a.fake", 1, 1);
  EXPECT_EQ(bench.look_at("b.fake"),
            "Errors in this file, says fake (some may be older):\nb.fake:1:1: error: BAD [bad]");
}

TEST(LanguageServers, LookingAtChangesCanBeTurnedOff) {
  LspSettings settings;
  settings.diagnostics_after_edits = false;
  LspBench bench({.settings = std::move(settings)});
  bench.folder.put("a.fake", "x\n");
  bench.ask("hover", "a.fake", 1, 1);
  bench.folder.put("a.fake", "BAD\n");
  EXPECT_EQ(bench.look_at("a.fake"), "");
}

TEST(LanguageServers, OfAnUntrustedFolderNothingThatMayRunItsCodeIsStarted) {
  LspBench bench({.trusted = false});
  bench.folder.put("a.fake", "x\n");
  EXPECT_THAT(bench.ask("hover", "a.fake", 1, 1), AllOf(HasSubstr("not trusted"), HasSubstr("deft trust")));
  EXPECT_THAT(bench.servers->running(), IsEmpty());
}

TEST(LanguageServers, AProjectsOwnServersCountOnlyWhereItIsTrusted) {
  for (const bool trusted : {false, true}) {
    LspBench bench({.trusted = trusted});
    bench.folder.put(".lsp.json", R"({"mine": {"command": ")" DEFT_FAKE_LANGUAGE_SERVER
                                  R"(", "runsProjectCode": false, "extensionToLanguage": {".mine": "mine"}}})");
    bench.folder.put("a.mine", "x\n");
    EXPECT_THAT(bench.ask("hover", "a.mine", 1, 1),
                trusted ? HasSubstr("x") : HasSubstr("No language server is known"));
  }
  LspBench broken;
  broken.folder.put(".lsp.json", R"({"mine": {}})");
  broken.folder.put("a.fake", "x\n");
  EXPECT_THAT(broken.ask("hover", "a.fake", 1, 1), AllOf(HasSubstr(".lsp.json"), HasSubstr("mine.command")));
}

}  // namespace
}  // namespace deft::lsp
