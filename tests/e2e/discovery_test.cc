#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "deft/testing/places.h"
#include "deft_print.h"

// Tools that the model finds when it needs them, through the whole of `deft -p`: a server with more than sixty of them.

namespace deft::testing {
namespace {

using Names = std::vector<std::string>;

StreamedCall search(std::string id, std::string_view query) {
  return {std::move(id), "ToolSearch", {{"query", query}}};
}

class FoundTools : public ::testing::Test {
 protected:
  Arguments arguments(const Arguments& more) const {
    const std::string server = std::filesystem::path(DEFT_PROGRAM).parent_path() / "mcp-misbehaving-server";
    const JsonObject entry{{"command", server}, {"args", JsonArray{"toolbox"}}};
    return more + Arguments{"--allowedTools", "mcp__box", "--mcp-config",
                            to_json(JsonObject{{"mcpServers", {{"box", entry}}}})};
  }
  void run(const ModelPeer& model, const Arguments& more) const {
    const Finished finished = place_.run(model, arguments(more));
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  }
  // The server's tools of which a request has the definitions, in their order.
  static Names defined(const Json& body) {
    Names names;
    for (const Json& tool : *find_array(body, "tools")) {
      const std::string name(*find_string(tool, "name"));
      if (name.starts_with("mcp__")) names.push_back(name);
    }
    return names;
  }
  static std::string told(const Json& body) { return to_json(*find(body, "messages")); }
  static std::string definitions(const Json& body) { return to_json(*find(body, "tools")); }
  // The text without what marks where a provider's cache may end: that mark moves on.
  static std::string without_marks(std::string text) {
    static constexpr std::string_view kMark = R"(,"cache_control":{"type":"ephemeral"})";
    for (std::size_t at = 0; (at = text.find(kMark, at)) != std::string::npos;) text.erase(at, kMark.size());
    return text;
  }
  static std::size_t count(const std::string& text, std::string_view part) {
    std::size_t number = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++number;
    return number;
  }

  PrintPlace place_;
};

TEST_F(FoundTools, EachWayOfAskingLoadsWhatItMeansAndNothingThatWasSentBeforeChanges) {
  const ModelPeer model(
      {anthropic_calls({search("t1", "select:mcp__box__slack_list")}),
       anthropic_calls({search("t2", "notebook jupyter")}), anthropic_calls({search("t3", "+slack text")}),
       anthropic_calls({{"t4", "mcp__box__slack_send", {{"text", "it works"}}}}), anthropic_text("done")});
  run(model, {"-p", "go"});
  const auto bodies = model.bodies();
  ASSERT_EQ(bodies.size(), 5U);
  const Names at_first = {"mcp__box__pinned"};
  EXPECT_EQ(defined(bodies[0]), at_first) << "what says so itself is always there";
  EXPECT_EQ(count(told(bodies[0]), "mcp__box__record_"), 60U);
  EXPECT_EQ(defined(bodies[1]), (Names{"mcp__box__pinned", "mcp__box__slack_list"}));
  EXPECT_EQ(defined(bodies[2]), (Names{"mcp__box__pinned", "mcp__box__slack_list", "mcp__box__notebook_run"}));
  EXPECT_EQ(defined(bodies[3]),
            (Names{"mcp__box__pinned", "mcp__box__slack_list", "mcp__box__notebook_run", "mcp__box__slack_send"}));
  EXPECT_NE(told(bodies[4]).find("it works"), std::string::npos);
  for (std::size_t i = 0; i + 1 < bodies.size(); ++i) {
    const std::string before = without_marks(definitions(bodies[i]));
    const std::string after = without_marks(definitions(bodies[i + 1]));
    EXPECT_TRUE(after.starts_with(before.substr(0, before.size() - 1))) << i;
    const std::string said = without_marks(told(bodies[i]));
    EXPECT_TRUE(without_marks(told(bodies[i + 1])).starts_with(said.substr(0, said.size() - 1))) << i;
    EXPECT_EQ(to_json(*find(bodies[i], "system")), to_json(*find(bodies[i + 1], "system"))) << i;
  }
}

TEST_F(FoundTools, ACallToAToolThatWasNotLoadedWorksOrSaysHowToLoadIt) {
  const ModelPeer model({anthropic_calls({{"t1", "mcp__box__slack_send", {{"channel", "x"}}}}),
                         anthropic_calls({{"t2", "mcp__box__slack_send", {{"text", "guessed right"}}}}),
                         anthropic_text("done")});
  run(model, {"-p", "go"});
  const auto bodies = model.bodies();
  ASSERT_EQ(bodies.size(), 3U);
  EXPECT_NE(told(bodies[1]).find("InputValidationError"), std::string::npos);
  EXPECT_NE(told(bodies[1]).find("select:mcp__box__slack_send"), std::string::npos);
  EXPECT_NE(told(bodies[2]).find("guessed right"), std::string::npos);
}

TEST_F(FoundTools, WhatWasLoadedSurvivesResumingAndCompaction) {
  const ModelPeer model({anthropic_calls({search("t1", "select:mcp__box__slack_send")}), anthropic_text("done"),
                         anthropic_text("again"), anthropic_text("<summary>It was about tools.</summary>"),
                         anthropic_text("after")});
  run(model, {"-p", "go"});
  run(model, {"-p", "--continue", "on"});
  run(model, {"-p", "--continue", "/compact"});
  run(model, {"-p", "--continue", "and on"});
  const auto bodies = model.bodies();
  ASSERT_EQ(bodies.size(), 5U);
  const Names loaded = {"mcp__box__pinned", "mcp__box__slack_send"};
  EXPECT_EQ(defined(bodies[1]), loaded);
  EXPECT_EQ(definitions(bodies[2]), definitions(bodies[1])) << "the resumed session has the very same definitions";
  const std::string before = without_marks(told(bodies[1]));
  EXPECT_TRUE(without_marks(told(bodies[2])).starts_with(before.substr(0, before.size() - 1)));
  EXPECT_EQ(count(told(bodies[2]), "mcp__box__record_7\\n"), 1U) << "names are told once";
  EXPECT_EQ(definitions(bodies[4]), definitions(bodies[1])) << "and so it is after compaction";
  EXPECT_EQ(count(told(bodies[4]), "mcp__box__record_7\\n"), 1U) << "what was forgotten is told again";
}

TEST_F(FoundTools, TheUserDecidesWhetherToolsAreLeftOut) {
  place_.environment = {"ENABLE_TOOL_SEARCH=false"};
  const ModelPeer model({anthropic_text("done")});
  run(model, {"-p", "go"});
  EXPECT_EQ(defined(model.bodies().at(0)).size(), 65U);
  EXPECT_EQ(definitions(model.bodies().at(0)).find("\"ToolSearch\""), std::string::npos);
}

}  // namespace
}  // namespace deft::testing
