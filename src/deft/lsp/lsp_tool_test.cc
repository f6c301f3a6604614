#include "deft/lsp/lsp_tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deft/core/rule.h"
#include "deft/lsp/file_uri.h"
#include "deft/lsp/operation.h"
#include "deft/testing/lsp_bench.h"

namespace deft::lsp {
namespace {

using deft::testing::LspBench;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

PermissionRules rules(std::string_view json) { return parse_permission_rules(parse_json(json).value()).value(); }

TEST(LspTool, AnswersAreLinesOfPathLineAndColumnWithTheSourceLine) {
  LspBench bench;
  bench.folder.put("src/a.fake", "def add\n  add(1)\n  add(2)\n");
  EXPECT_EQ(bench.ask("goto_definition", "src/a.fake", 2, 3), "src/a.fake:1:1: def add");
  EXPECT_EQ(bench.ask("references", "src/a.fake", 3, 0, "add"),
            "3 references:\nsrc/a.fake:1:5: def add\nsrc/a.fake:2:3: add(1)\nsrc/a.fake:3:3: add(2)");
  EXPECT_EQ(bench.ask("hover", "src/a.fake", 2, 3), "  add(1)");
  EXPECT_EQ(bench.ask("workspaceSymbol", "src/a.fake", 0, 0, "add"), "src/a.fake:1:1: function add");
  EXPECT_EQ(bench.ask("goto_definition", "src/a.fake", 1, 1),
            "No definition was found at line 1, column 1 of src/a.fake.");
}

TEST(LspTool, ColumnsAreCharactersWhateverTheServerCounts) {
  for (const std::string unit : {"utf-16", "utf-8"}) {
    LspBench bench({.arguments = {unit}});
    bench.folder.put("a.fake", "def add\r\n😀ä add(1)\r\n");
    EXPECT_EQ(bench.ask("definition", "a.fake", 2, 4), "a.fake:1:1: def add") << unit;
    EXPECT_THAT(bench.ask("references", "a.fake", 2, 4), HasSubstr("a.fake:2:4: 😀ä add(1)")) << unit;
  }
}

TEST(LspTool, WhoeverChangesAFileTheServerKnowsItAsItIsNow) {
  LspBench bench;
  bench.folder.put("a.fake", "one\n");
  bench.folder.put("b.fake", "call other\n");
  EXPECT_EQ(bench.ask("hover", "a.fake", 1, 1), "one");
  bench.folder.put("a.fake", "def other\n");
  EXPECT_EQ(bench.ask("definition", "b.fake", 1, 6), "a.fake:1:1: def other");
  bench.folder.put("a.fake", "two\n");
  EXPECT_EQ(bench.ask("hover", "a.fake", 1, 1), "two");
}

TEST(LspTool, AnUnknownOperationNamesTheKnownOnes) {
  LspBench bench;
  bench.folder.put("a.fake", "x");
  EXPECT_THAT(bench.ask("rename", "a.fake", 1, 1), AllOf(HasSubstr("\"rename\""), HasSubstr(operation_names())));
}

TEST(LspTool, AnIncompleteQuestionSaysWhatIsMissing) {
  LspBench bench;
  bench.folder.put("a.fake", "one two\n");
  EXPECT_THAT(bench.ask("workspace_symbols", "", 0, 0, "x"), AllOf(HasSubstr("file_path"), Not(HasSubstr("needs"))))
      << "nothing runs yet that could be asked";
  EXPECT_THAT(bench.ask("hover", ""), HasSubstr("needs file_path"));
  EXPECT_THAT(bench.ask("hover", "a.fake"), HasSubstr("needs line and column"));
  EXPECT_THAT(bench.ask("hover", "a.fake", 1), HasSubstr("needs column"));
  EXPECT_THAT(bench.ask("workspace_symbols", "a.fake"), HasSubstr("needs query"));
  EXPECT_THAT(bench.ask("hover", "a.fake", 9, 1), HasSubstr("has only 2 lines"));
  EXPECT_THAT(bench.ask("hover", "a.fake", 1, 40), HasSubstr("has only 7 columns; it reads: one two"));
  EXPECT_THAT(bench.ask("hover", "a.fake", 1, 0, "three"), HasSubstr("does not hold \"three\""));
  EXPECT_THAT(bench.ask("hover", "b.fake", 1, 1), HasSubstr("does not exist"));
  bench.ask("hover", "a.fake", 1, 1);
  EXPECT_THAT(bench.ask("workspace_symbols", "", 0, 0, "x"), HasSubstr("No symbol was found for \"x\""));
}

TEST(LspTool, TheNameInALineIsFoundAsAWholeWordIfItIsOne) {
  LspBench bench;
  bench.folder.put("a.fake", "def add\ndef padding\npadding add\n");
  EXPECT_EQ(bench.ask("definition", "a.fake", 3, 0, "add"), "a.fake:1:1: def add");
}

TEST(LspTool, WhatTheServerCannotDoItSays) {
  LspBench bench;
  bench.folder.put("a.fake", "x\n");
  EXPECT_EQ(bench.ask("document_symbols", "a.fake"), "fake cannot tell symbols. Use Grep instead.");
}

TEST(LspTool, WhatTheRulesDenyIsNeitherShownNorNamed) {
  LspBench bench({.rules = rules(R"x({"deny":["Read(secret/**)"]})x")});
  bench.folder.put("secret/s.fake", "def key\n");
  bench.folder.put("a.fake", "use key\n");
  // The server knows it because somebody else has shown it before.
  const auto server = [&] {
    bench.ask("hover", "a.fake", 1, 1);
    return bench.servers->running().at(0);
  }();
  ASSERT_TRUE(server->synchronise(bench.folder / "secret/s.fake", bench.files));
  EXPECT_EQ(bench.ask("definition", "a.fake", 1, 5),
            "No definition was found at line 1, column 5 of a.fake.\n"
            "[1 more in files that the rules keep from being read.]");
}

TEST(LspTool, OfAFileThatCouldNotBeReadWithoutAskingNoLineIsShown) {
  LspBench::Options options;
  const TempFolder elsewhere;
  const std::string path = elsewhere.put("secret.txt", "a secret\n");
  options.arguments = {"place=" + file_uri(path)};
  LspBench bench(std::move(options));
  bench.folder.put("a.fake", "x\n");
  EXPECT_EQ(bench.ask("definition", "a.fake", 1, 1), path + ":1:1");
}

TEST(LspTool, ALongAnswerIsCutAndSaysHowMuchIsMissing) {
  LspBench bench({.arguments = {"many=1000"}});
  bench.folder.put("a.fake", "x\n");
  const std::string answer = bench.ask("references", "a.fake", 1, 1);
  EXPECT_THAT(answer, StartsWith("1001 references in 2 files:\n/somewhere/else:2:1\n"));
  EXPECT_THAT(answer, EndsWith("\n… and 801 more"));
}

TEST(LspTool, DiagnosticsAreThoseOfTheFileAsItIsHoweverTheServerReportsThem) {
  for (const std::string how : {"versions", "no-versions", "pull"}) {
    LspBench bench({.arguments = {how}});
    bench.folder.put("a.fake", "fine\n");
    EXPECT_EQ(bench.ask("diagnostics", "a.fake"), "No problem was found in a.fake.") << how;
    bench.folder.put("a.fake", "fine\nä BAD\nfine\nBAD\n");
    EXPECT_EQ(bench.ask("diagnostics", "a.fake"),
              "2 problems:\na.fake:2:3: error: ä BAD [bad]\na.fake:4:1: error: BAD [bad]")
        << how;
    EXPECT_EQ(bench.ask("diagnostics", "a.fake"),
              "2 problems:\na.fake:2:3: error: ä BAD [bad]\na.fake:4:1: error: BAD [bad]")
        << how << ", without any change";
  }
}

TEST(LspTool, AFileWithoutAServerSaysWhichToInstall) {
  LspBench bench;
  bench.folder.put("a.rs", "fn main() {}\n");
  bench.folder.put("a.txt", "text\n");
  EXPECT_THAT(bench.ask("hover", "a.txt", 1, 1),
              AllOf(HasSubstr("No language server is known for a.txt"), HasSubstr("rust-analyzer (.rs)")));
}

TEST(LspTool, IsReadOnlyAndRunsBesideReadersOnly) {
  LspBench bench;
  const SessionView view(bench.bench.session(), {});
  EXPECT_TRUE(bench.tool->is_read_only(JsonObject(), view));
  const Footprint touched = bench.tool->footprint(JsonObject(), view).value();
  EXPECT_TRUE(conflicts(touched, Footprint::writes("/p/a")));
  EXPECT_FALSE(conflicts(touched, Footprint::reads_tree("/p")));
}

}  // namespace
}  // namespace deft::lsp
