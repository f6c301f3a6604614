#include "deft/config/mcp_settings.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

std::string problem(std::string_view name, std::string_view entry) {
  const auto server = read_mcp_server(name, *parse_json(entry));
  return server ? "" : server.error().message;
}

TEST(McpSettings, AProgramAndAnAddressAreRead) {
  const auto program =
      read_mcp_server("files", *parse_json(R"({"command":"npx","args":["-y","x"],"env":{"A":"b"},"timeout":5000})"));
  ASSERT_TRUE(program);
  EXPECT_EQ(program->kind, McpKind::stdio);
  EXPECT_EQ(program->shown(), "npx -y x");
  EXPECT_EQ(program->timeout, std::chrono::milliseconds(5000));
  const auto address = read_mcp_server(
      "web",
      *parse_json(
          R"({"type":"http","url":"https://a.example/mcp","headers":{"X":"y"},"oauth":{"clientId":"c","callbackPort":8080}})"));
  ASSERT_TRUE(address);
  EXPECT_EQ(address->kind, McpKind::http);
  EXPECT_EQ(address->oauth.client_id, "c");
  EXPECT_EQ(address->oauth.callback_port, 8080);
}

TEST(McpSettings, WhatIsWrongIsSaid) {
  EXPECT_EQ(problem("a b", R"({"command":"x"})"),
            "the MCP server \"a b\" needs a name of at most 64 letters, digits, '-' and '_'");
  EXPECT_EQ(problem("a", R"({"url":"https://x"})"),
            "the MCP server \"a\" has a url: it needs \"type\": \"http\" or \"sse\" as well");
  EXPECT_EQ(problem("a", "{}"), "the MCP server \"a\" needs a command");
  EXPECT_EQ(problem("a", "7"), "the MCP server \"a\" must be an object");
  EXPECT_EQ(problem("a", R"({"type":"ws","url":"x"})"),
            "the MCP server \"a\" is of the type \"ws\"; deft knows stdio, http and sse");
  EXPECT_EQ(problem("a", R"({"command":"x","args":[1]})"), "the MCP server \"a\" args must be a list of texts");
  EXPECT_EQ(problem("a", R"({"command":"x","timeout":5})"),
            "the MCP server \"a\" timeout must be a number of milliseconds, at least 1000");
}

TEST(McpSettings, VariablesArePutIn) {
  auto server = *read_mcp_server(
      "a",
      *parse_json(
          R"({"command":"${HOME}/bin","args":["${MISSING}","${MISSING:-x y}","${EMPTY:-z}","$HOME","${"],"env":{"K":"${HOME}"}})"));
  const auto notes = expand_variables(server, [](const std::string& name) -> std::optional<std::string> {
    if (name == "HOME") return "/h";
    if (name == "EMPTY") return "";
    return std::nullopt;
  });
  EXPECT_EQ(server.command, "/h/bin");
  EXPECT_EQ(server.args, (std::vector<std::string>{"${MISSING}", "x y", "z", "$HOME", "${"}));
  EXPECT_EQ(server.env[0].second, "/h");
  EXPECT_EQ(notes, (std::vector<std::string>{"the MCP server a uses ${MISSING}, which is not set"}));
}

class McpFiles : public ::testing::Test {
 protected:
  McpServersRead read(McpRequestedFiles requested = {}) {
    auto servers = read_mcp_servers(places_, requested);
    EXPECT_TRUE(servers);
    return servers.value_or(McpServersRead{});
  }
  std::string names(const McpServersRead& servers) {
    std::string out;
    for (const auto& server : servers.servers) {
      out += server.name + ":" + std::string(to_string(server.scope)) + ":" + server.command + " ";
    }
    return out;
  }

  TempFolder folder_;
  SettingsPlaces places_{.directory = folder_ / "project",
                         .home = folder_ / "home",
                         .config_home = folder_ / "home/.config",
                         .claude_home = folder_ / "home/.claude",
                         .system = folder_ / "etc"};
};

TEST_F(McpFiles, OfOneNameTheStrongestCountsWhole) {
  folder_.put("project/.mcp.json", R"({"mcpServers":{"a":{"command":"project"},"p":{"command":"project"}}})");
  folder_.put("home/.config/deft/mcp.json",
              R"({"mcpServers":{"a":{"command":"user"},"u":{"command":"user"}},
                  "projects":{")" +
                  places_.directory + R"(":{"mcpServers":{"a":{"command":"local"}}}}})");
  folder_.put("home/.claude.json", R"({"mcpServers":{"u":{"command":"other"},"c":{"command":"other"}}})");
  EXPECT_EQ(names(read()), "a:local:local p:project:project u:user:user c:user:other ");
  EXPECT_EQ(names(read({.configs = {R"({"mcpServers":{"a":{"command":"cli"}}})"}})),
            "a:cli:cli p:project:project u:user:user c:user:other ");
  EXPECT_EQ(names(read({.configs = {R"({"mcpServers":{"a":{"command":"cli"}}})"}, .strict = true})), "a:cli:cli ");
  EXPECT_EQ(names(read({.wanted = {.user = true, .project = false, .local = false}})),
            "a:user:user u:user:user c:user:other ");
}

TEST_F(McpFiles, WhatAnAdministratorConfiguresIsAllThatCounts) {
  folder_.put("etc/deft/managed-mcp.json", R"({"mcpServers":{"m":{"command":"managed"}}})");
  folder_.put("project/.mcp.json", R"({"mcpServers":{"p":{"command":"project"}}})");
  const auto servers = read({.configs = {R"({"mcpServers":{"a":{"command":"cli"}}})"}});
  EXPECT_EQ(names(servers), "m:managed:managed ");
  EXPECT_TRUE(servers.managed_only);
}

TEST_F(McpFiles, ABrokenFileOrEntryIsAProblemAndTheRestCounts) {
  folder_.put("project/.mcp.json", R"({"mcpServers":{"p":{"command":"project"},"q":{}}})");
  folder_.put("home/.config/deft/mcp.json", "{");
  const auto servers = read();
  EXPECT_EQ(names(servers), "p:project:project ");
  EXPECT_GE(servers.problems.size(), 2U);
}

TEST_F(McpFiles, WhatTheCommandLineGivesMustBeRight) {
  EXPECT_FALSE(read_mcp_servers(places_, {.configs = {"/does/not/exist"}}));
  EXPECT_FALSE(read_mcp_servers(places_, {.configs = {"{"}}));
  EXPECT_FALSE(read_mcp_servers(places_, {.configs = {"{}"}}));
}

TEST(McpSettings, AFileIsWrittenWithAServerMoreAndOneLess) {
  const Json entry = JsonObject{{"command", "x"}};
  const auto one = with_mcp_server("", "", "a", entry);
  ASSERT_TRUE(one);
  EXPECT_EQ(*one, "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\"\n    }\n  }\n}\n");
  const auto two = with_mcp_server(*one, "/p", "b", entry);
  ASSERT_TRUE(two);
  EXPECT_EQ(to_json(*parse_json(*two)),
            R"({"mcpServers":{"a":{"command":"x"}},"projects":{"/p":{"mcpServers":{"b":{"command":"x"}}}}})");
  const auto less = without_mcp_server(*two, "/p", "b");
  ASSERT_TRUE(less);
  EXPECT_EQ(to_json(*parse_json(*less)), R"({"mcpServers":{"a":{"command":"x"}},"projects":{"/p":{"mcpServers":{}}}})");
  EXPECT_FALSE(without_mcp_server(*two, "", "b"));
  EXPECT_FALSE(with_mcp_server("", "", "a b", entry));
  EXPECT_FALSE(with_mcp_server("[", "", "a", entry));
}

TEST(McpSettings, AFileOfARepositoryCannotBeLongerThanWhatIsRead) {
  const TempFolder folder;
  folder.put(".mcp.json", "{}");
  std::filesystem::resize_file(folder / ".mcp.json", std::uintmax_t{1} << 40);  // it has no bytes on the disk
  SettingsPlaces places{.directory = folder.path()};
  const auto read = read_mcp_servers(places, {});
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->servers.empty());
  ASSERT_EQ(read->problems.size(), 1U);
  EXPECT_NE(read->problems[0].find("is longer than 2.0 MB"), std::string::npos) << read->problems[0];
}

}  // namespace
}  // namespace deft
