#include "deft/core/search_tools.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

const std::vector<SearchableTool> kTools = {
    {"NotebookEdit", "jupyter cells ipynb", "Changes a cell of a notebook."},
    {"mcp__slack__send_message", "", "Posts a text to a channel."},
    {"mcp__slack__list_channels", "", "Lists where texts can be sent."},
    {"mcp__mail__send", "letter post", "Sends a letter."},
    {"WebFetch", "url page http", "Reads a page of the web, also a notebook that is published there."},
};

std::vector<std::string> found(std::string_view query, std::size_t count = 5) {
  std::vector<std::string> names;
  for (const std::size_t index : search_tools(parse_tool_query(query), kTools, count)) {
    names.emplace_back(kTools[index].name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(SearchTools, AWordInTheNameCountsMoreThanOneInTheHintAndThatMoreThanOneInTheDescription) {
  EXPECT_EQ(found("notebook"), (Names{"NotebookEdit", "WebFetch"}));
  EXPECT_EQ(found("jupyter"), Names{"NotebookEdit"});
  EXPECT_EQ(found("post"), (Names{"mcp__mail__send", "mcp__slack__send_message"}));
}

TEST(SearchTools, TheWholeNameIsFoundFirst) { EXPECT_EQ(found("webfetch").front(), "WebFetch"); }

TEST(SearchTools, NamesAreReadAsTheirWords) {
  EXPECT_EQ(found("channels").front(), "mcp__slack__list_channels");
  EXPECT_EQ(found("edit"), Names{"NotebookEdit"});
}

TEST(SearchTools, ARequiredWordMustBeInTheNameAndTheRestRanks) {
  EXPECT_EQ(found("+slack send"), (Names{"mcp__slack__send_message", "mcp__slack__list_channels"}));
  EXPECT_EQ(found("+slack"), (Names{"mcp__slack__send_message", "mcp__slack__list_channels"}));
  EXPECT_TRUE(found("+letter send").empty());
}

TEST(SearchTools, WordsMayBeSeparatedInOtherWaysThanInTheName) {
  EXPECT_EQ(found("send-message").front(), "mcp__slack__send_message");
  EXPECT_EQ(found("mcp__slack__post").front(), "mcp__slack__send_message");
  EXPECT_EQ(found("+list-channels"), Names{"mcp__slack__list_channels"});
}

TEST(SearchTools, NoMoreAreFoundThanWereAskedForAndNothingIsFoundForNothing) {
  EXPECT_EQ(found("send", 1).size(), 1U);
  EXPECT_TRUE(found("xyzzy").empty());
  EXPECT_TRUE(found("").empty());
  EXPECT_TRUE(found("+").empty());
}

TEST(SearchTools, EquallyGoodOnesKeepTheirOrder) {
  EXPECT_EQ(found("slack"), (Names{"mcp__slack__send_message", "mcp__slack__list_channels"}));
}

TEST(ToolQuery, SelectTakesNamesAsTheyAreWritten) {
  EXPECT_EQ(parse_tool_query("select:Read, Edit,,mcp__a__B").names, (Names{"Read", "Edit", "mcp__a__B"}));
  EXPECT_EQ(parse_tool_query(" SELECT:Read").names, Names{"Read"});
  EXPECT_TRUE(parse_tool_query("select:").names.empty());
}

TEST(ToolQuery, IsBounded) {
  std::string many = "select:";
  for (int i = 0; i < 1000; ++i) many += "a" + std::to_string(i) + ",";
  EXPECT_EQ(parse_tool_query(many).names.size(), kToolQueryNamesMax);
  EXPECT_EQ(parse_tool_query(many.substr(7)).words.size(), kToolQueryWordsMax);
}

}  // namespace
}  // namespace deft
