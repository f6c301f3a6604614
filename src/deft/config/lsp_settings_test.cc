#include "deft/config/lsp_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace deft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<LspSettings> parse(std::string_view json) { return parse_lsp_settings(parse_json(json).value()); }

TEST(LspSettings, AreOnUnlessTheySayOtherwise) {
  const auto none = parse("{}").value();
  EXPECT_TRUE(none.enabled);
  EXPECT_TRUE(none.diagnostics_after_edits);
  EXPECT_TRUE(none.servers.empty());
  const auto off = parse(R"({"lsp":{"enabled":false,"diagnosticsAfterEdits":false,"diagnosticsWaitMs":250}})").value();
  EXPECT_FALSE(off.enabled);
  EXPECT_FALSE(off.diagnostics_after_edits);
  EXPECT_EQ(off.diagnostics_wait, std::chrono::milliseconds(250));
}

TEST(LspSettings, AServerIsDescribedAsInLspJsonFiles) {
  const auto servers = parse_language_servers(parse_json(R"({"go": {
      "command": "gopls", "args": ["serve"], "extensionToLanguage": {".go": "go", ".mod": "go.mod"},
      "transport": "stdio", "env": {"GOFLAGS": "-mod=mod"}, "initializationOptions": {"a": 1}, "settings": {"b": 2},
      "startupTimeout": 1500, "maxRestarts": 3, "workspaceFolder": "/p"}})")
                                                  .value(),
                                              ".lsp.json", "/p")
                           .value();
  ASSERT_EQ(servers.size(), 1U);
  const LanguageServerSpec& go = servers[0];
  EXPECT_EQ(go.name, "go");
  EXPECT_THAT(go.programs, ElementsAre("gopls"));
  EXPECT_THAT(go.arguments, ElementsAre("serve"));
  EXPECT_EQ(go.languages.at(".mod"), "go.mod");
  EXPECT_THAT(go.environment, ElementsAre("GOFLAGS=-mod=mod"));
  EXPECT_EQ(to_json(go.initialization_options), R"({"a":1})");
  EXPECT_EQ(to_json(go.settings), R"({"b":2})");
  EXPECT_EQ(go.start_time_max, std::chrono::milliseconds(1500));
  EXPECT_EQ(go.restarts_max, 3U);
}

TEST(LspSettings, OfAServerNobodyHasVouchedForItMayRunCodeOfTheProject) {
  const std::string server = R"("command":"x","extensionToLanguage":{".x":"x"})";
  const auto unknown = parse(R"({"lsp":{"servers":{"x":{)" + server + "}}}}").value().servers.at(0);
  EXPECT_TRUE(unknown.runs_project_code);
  EXPECT_FALSE(unknown.works_read_only);
  const auto known =
      parse(R"({"lsp":{"servers":{"x":{)" + server + R"(,"runsProjectCode":false,"readOnly":true}}}})").value();
  EXPECT_FALSE(known.servers.at(0).runs_project_code);
  EXPECT_TRUE(known.servers.at(0).works_read_only);
}

TEST(LspSettings, AProgramWithASlashIsSeenFromTheFolderOfItsFileAndNeverFromTheWorkingDirectory) {
  const Json servers = parse_json(R"({"x":{"command":"bin/x","extensionToLanguage":{".x":"x"}}})").value();
  EXPECT_THAT(parse_language_servers(servers, "o", "/p").value().at(0).programs, ElementsAre("/p/bin/x"));
  EXPECT_THAT(parse_language_servers(servers, "o", "").error().message, HasSubstr("o.x.command"));
}

TEST(LspSettings, AWrongValueIsAnErrorThatNamesItsKey) {
  const auto wrong = [](std::string_view members) {
    auto parsed = parse(R"({"lsp":{"servers":{"x":{)" + std::string(members) + "}}}}");
    return parsed ? "" : parsed.error().message;
  };
  EXPECT_THAT(wrong(R"("extensionToLanguage":{".x":"x"})"), HasSubstr("lsp.servers.x.command"));
  EXPECT_THAT(wrong(R"("command":"x")"), HasSubstr("extensionToLanguage"));
  EXPECT_THAT(wrong(R"("command":"x","extensionToLanguage":{"x":"x"})"), HasSubstr("extensionToLanguage"));
  const std::string good = R"("command":"x","extensionToLanguage":{".x":"x"},)";
  EXPECT_THAT(wrong(good + R"("transport":"socket")"), HasSubstr("x.transport"));
  EXPECT_THAT(wrong(good + R"("args":"serve")"), HasSubstr("x.args"));
  EXPECT_THAT(wrong(good + R"("env":{"A=B":"x"})"), HasSubstr("x.env"));
  EXPECT_THAT(wrong(good + R"("startupTimeout":0)"), HasSubstr("x.startupTimeout"));
  EXPECT_THAT(wrong(good + R"("maxRestarts":-1)"), HasSubstr("x.maxRestarts"));
  EXPECT_THAT(wrong(good + R"("runsProjectCode":"no")"), HasSubstr("x.runsProjectCode"));
  EXPECT_FALSE(parse(R"({"lsp":[]})"));
  EXPECT_FALSE(parse(R"({"lsp":{"enabled":1}})"));
  EXPECT_FALSE(parse(R"({"lsp":{"diagnosticsWaitMs":60001}})"));
}

}  // namespace
}  // namespace deft
