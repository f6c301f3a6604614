#include "deft/lsp/server_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace deft::lsp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> names_for(std::string_view path, const std::vector<LanguageServerSpec>& configured = {}) {
  std::vector<std::string> names;
  for (const LanguageServerSpec* spec : servers_for(path, configured)) names.push_back(spec->name);
  return names;
}

TEST(ServerTable, EveryFileHasTheServersOfItsLanguage) {
  EXPECT_THAT(names_for("/p/a.cc"), ElementsAre("clangd"));
  EXPECT_THAT(names_for("/p/a.test.tsx"), ElementsAre("typescript-language-server"));
  EXPECT_THAT(names_for("/p/a.py"), ElementsAre("pyright", "pylsp"));
  EXPECT_THAT(names_for("/p/a.sh"), ElementsAre("bash-language-server"));
  EXPECT_THAT(names_for("/p/a.go"), ElementsAre("gopls"));
  EXPECT_THAT(names_for("/p/a.rs"), ElementsAre("rust-analyzer"));
  EXPECT_THAT(names_for("/p/cc"), IsEmpty());
  EXPECT_THAT(names_for("/p.cc/README"), IsEmpty());
}

TEST(ServerTable, LanguagesHaveTheNamesOfTheProtocol) {
  const auto language = [](std::string_view path) { return language_of(path, *servers_for(path, {}).at(0)); };
  EXPECT_EQ(language("/p/a.h"), "cpp");
  EXPECT_EQ(language("/p/a.c"), "c");
  EXPECT_EQ(language("/p/a.jsx"), "javascriptreact");
  EXPECT_EQ(language("/p/a.bash"), "shellscript");
}

TEST(ServerTable, WhatTheSettingsSayComesBeforeWhatDeftKnows) {
  LanguageServerSpec ccls{.name = "ccls", .programs = {"ccls"}};
  ccls.languages[".cc"] = "cpp";
  EXPECT_THAT(names_for("/p/a.cc", {ccls}), ElementsAre("ccls", "clangd"));
  EXPECT_THAT(names_for("/p/a.go", {ccls}), ElementsAre("gopls"));
}

TEST(ServerTable, TheLongestEndingCounts) {
  LanguageServerSpec spec{.name = "x", .programs = {"x"}};
  spec.languages[".ts"] = "typescript";
  spec.languages[".d.ts"] = "declarations";
  EXPECT_EQ(language_of("/p/a.d.ts", spec), "declarations");
  EXPECT_EQ(language_of("/p/a.b.ts", spec), "typescript");
}

TEST(ServerTable, EveryKnownServerSaysHowToGetItAndOnlyThoseThatRunNothingOfTheProjectSaySo) {
  std::vector<std::string> harmless;
  for (const LanguageServerSpec& spec : known_servers()) {
    EXPECT_FALSE(spec.programs.empty());
    EXPECT_FALSE(spec.install.empty());
    if (!spec.runs_project_code) harmless.push_back(spec.name);
  }
  EXPECT_THAT(harmless, ElementsAre("clangd", "bash-language-server"));
  EXPECT_THAT(known_languages({}), HasSubstr("gopls (.go .mod .work)"));
}

}  // namespace
}  // namespace deft::lsp
