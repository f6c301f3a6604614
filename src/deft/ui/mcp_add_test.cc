#include "deft/ui/mcp_add.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

std::string added(const std::vector<std::string>& words) {
  const auto addition = parse_mcp_add(words);
  if (!addition) return addition.error().message;
  return std::string(to_string(addition->scope)) + " " + addition->name + " " + to_json(addition->entry);
}

TEST(McpAdd, AProgramIsAddedWithItsArguments) {
  EXPECT_EQ(added({"files", "npx", "-y", "x"}), R"(local files {"type":"stdio","command":"npx","args":["-y","x"]})");
  EXPECT_EQ(added({"-s", "user", "-e", "A=b=c", "files", "--", "npx", "-e", "x"}),
            R"(user files {"type":"stdio","command":"npx","args":["-e","x"],"env":{"A":"b=c"}})");
}

TEST(McpAdd, AnAddressIsAddedWithItsHeaders) {
  EXPECT_EQ(added({"web", "https://a.example/mcp", "x"}), "a server on the web takes no arguments");
  EXPECT_EQ(added({"--scope", "project", "web", "https://a.example/mcp", "-H", "X"}),
            "\"X\" must have the form \"Name: value\"");
  EXPECT_EQ(
      added({"-t", "sse", "-H", "Authorization: Bearer x", "--timeout", "2000", "web", "https://a.example/sse"}),
      R"(local web {"type":"sse","url":"https://a.example/sse","headers":{"Authorization":"Bearer x"},"timeout":2000})");
}

TEST(McpAdd, OptionsMayFollowAnAddressAndStandWithTheirValue) {
  EXPECT_EQ(added({"--transport", "http", "web", "https://a.example/mcp", "--header", "X-A: b"}),
            R"(local web {"type":"http","url":"https://a.example/mcp","headers":{"X-A":"b"}})");
  EXPECT_EQ(added({"--scope=user", "web", "https://a.example/mcp", "--timeout=2000"}),
            R"(user web {"type":"http","url":"https://a.example/mcp","timeout":2000})");
}

TEST(McpAdd, WhatIsWrongIsSaid) {
  EXPECT_EQ(added({"files"}), "it takes a name and a command or a URL");
  EXPECT_EQ(added({"--nonsense", "files", "x"}), "unknown option --nonsense");
  EXPECT_EQ(added({"-s", "moon", "files", "x"}), "--scope is local, project or user, not \"moon\"");
  EXPECT_EQ(added({"-e", "A", "files", "x"}), "\"A\" must have the form NAME=VALUE");
  EXPECT_EQ(added({"-t", "http", "files", "x"}), "\"x\" is not a web address");
  EXPECT_EQ(added({"-t", "stdio", "web", "https://x"}), "a URL needs --transport http or sse");
  EXPECT_EQ(added({"files", "x", "--timeout"}), R"(local files {"type":"stdio","command":"x","args":["--timeout"]})");
  EXPECT_EQ(added({"--timeout", "10", "files", "x"}),
            "the MCP server \"files\" timeout must be a number of milliseconds, at least 1000");
}

TEST(McpAdd, AnEntryIsAddedAsJson) {
  const std::vector<std::string> words{"-s", "user", "db", R"({"command":"x"})"};
  const auto addition = parse_mcp_add_json(words);
  ASSERT_TRUE(addition);
  EXPECT_EQ(to_json(addition->entry), R"({"command":"x"})");
  EXPECT_FALSE(parse_mcp_add_json(std::vector<std::string>{"db", "{"}));
  EXPECT_FALSE(parse_mcp_add_json(std::vector<std::string>{"db", "{}"}));
}

}  // namespace
}  // namespace deft
