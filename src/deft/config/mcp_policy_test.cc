#include "deft/config/mcp_policy.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

LoadedFile file(SettingSource source, std::string_view json) {
  return {.file = {.source = source}, .exists = true, .json = *parse_json(json)};
}

McpServerSettings server(std::string_view entry, McpScope scope = McpScope::project) {
  auto read = *read_mcp_server("db", *parse_json(entry));
  read.scope = scope;
  return read;
}

// Without the care that the real one takes.
Result<void> change_plainly(const std::string& path, const ChangeText& change) {
  std::ifstream in(path);
  auto text = change({std::istreambuf_iterator<char>(in), {}});
  if (!text) return std::unexpected(text.error());
  std::ofstream(path) << *text;
  return {};
}

class McpPolicyTest : public ::testing::Test {
 protected:
  McpAdmission admitted(const McpServerSettings& settings, const McpPolicy& policy = {}, bool trusted = true) {
    return admit(settings, policy, approvals_, "/p", trusted, lookup_).admission;
  }
  TempFolder folder_;
  McpApprovals approvals_{folder_ / "approvals.json", change_plainly};
  VariableLookup lookup_ = [](const std::string& name) {
    return name == "HOST" ? std::optional<std::string>("evil.example") : std::nullopt;
  };
};

TEST_F(McpPolicyTest, AProjectsServerNeedsTrustAndApprovalOfExactlyItsEntry) {
  const auto one = server(R"({"command":"x"})");
  EXPECT_EQ(admitted(one, {}, false), McpAdmission::needs_trust);
  EXPECT_EQ(admitted(one), McpAdmission::needs_approval);
  ASSERT_TRUE(approvals_.add("/p", one));
  EXPECT_EQ(admitted(one), McpAdmission::allowed);
  EXPECT_EQ(admitted(one, {}, false), McpAdmission::needs_trust);
  const auto changed = server(R"({"command":"x","args":["--more"]})");
  EXPECT_EQ(admitted(changed), McpAdmission::needs_approval);
  EXPECT_NE(admit(changed, {}, approvals_, "/p", true, lookup_).reason.find("has changed"), std::string::npos);
  EXPECT_EQ(admit(one, {}, approvals_, "/other", true, lookup_).admission, McpAdmission::needs_approval);
  ASSERT_TRUE(approvals_.remove_all("/p"));
  EXPECT_EQ(admitted(one), McpAdmission::needs_approval);
}

TEST_F(McpPolicyTest, AnythingElseInTheEntryIsAnotherEntry) {
  ASSERT_TRUE(approvals_.add("/p", server(R"({"command":"x","args":["a b"],"env":{"A":"1"}})")));
  for (const char* other : {R"({"command":"x","args":["a","b"],"env":{"A":"1"}})", R"({"command":"x","args":["a b"]})",
                            R"({"command":"x","args":["a b"],"env":{"A":"2"}})",
                            R"({"command":"x","args":["a b"],"env":{"A":"1","LD_PRELOAD":"x.so"}})",
                            R"({"command":"./x","args":["a b"],"env":{"A":"1"}})"}) {
    EXPECT_EQ(admitted(server(other)), McpAdmission::needs_approval) << other;
  }
  ASSERT_TRUE(approvals_.add("/p", server(R"({"type":"http","url":"https://a.example"})")));
  for (const char* other :
       {R"({"type":"sse","url":"https://a.example"})", R"({"type":"http","url":"http://a.example"})",
        R"({"type":"http","url":"https://a.example","headers":{"X":"${TOKEN}"}})",
        R"({"type":"http","url":"https://a.example","headersHelper":"./x"})",
        R"({"type":"http","url":"https://a.example","oauth":{"scopes":"all"}})"}) {
    EXPECT_EQ(admitted(server(other)), McpAdmission::needs_approval) << other;
  }
}

TEST_F(McpPolicyTest, TheUsersOwnServersNeedNeither) {
  EXPECT_EQ(admitted(server(R"({"command":"x"})", McpScope::user), {}, false), McpAdmission::allowed);
  EXPECT_EQ(admitted(server(R"({"command":"x"})", McpScope::local), {}, false), McpAdmission::allowed);
  EXPECT_EQ(admitted(server(R"({"command":"x"})", McpScope::command_line), {}, false), McpAdmission::allowed);
}

TEST_F(McpPolicyTest, AProjectDoesNotApproveItself) {
  const auto own = read_mcp_policy(
      {file(SettingSource::project, R"({"enableAllProjectMcpServers":true,"enabledMcpjsonServers":["db"]})")}, true);
  EXPECT_EQ(admitted(server(R"({"command":"x"})"), own), McpAdmission::needs_approval);
  const auto users = read_mcp_policy({file(SettingSource::user, R"({"enabledMcpjsonServers":["db"]})")}, true);
  EXPECT_EQ(admitted(server(R"({"command":"x"})"), users), McpAdmission::allowed);
  const auto local = read_mcp_policy({file(SettingSource::local, R"({"enableAllProjectMcpServers":true})")}, false);
  EXPECT_FALSE(local.enable_all_project_servers);
}

TEST_F(McpPolicyTest, AnyoneMayTurnAServerOff) {
  const auto policy = read_mcp_policy({file(SettingSource::project, R"({"disabledMcpjsonServers":["db"]})")}, true);
  EXPECT_EQ(admitted(server(R"({"command":"x"})"), policy), McpAdmission::disabled);
}

TEST_F(McpPolicyTest, ServersAreAllowedAndDeniedByNameCommandAndAddress) {
  const auto policy = read_mcp_policy(
      {file(SettingSource::managed,
            R"({"allowedMcpServers":[{"serverCommand":["npx","-y","ok"]},{"serverUrl":"https://*.example/*"}],
                                        "deniedMcpServers":[{"serverUrl":"https://evil.example/*"}]})")},
      true);
  const auto user = [&](std::string_view entry) { return admitted(server(entry, McpScope::user), policy); };
  EXPECT_EQ(user(R"({"command":"npx","args":["-y","ok"]})"), McpAdmission::allowed);
  EXPECT_EQ(user(R"({"command":"npx","args":["-y","other"]})"), McpAdmission::denied);
  EXPECT_EQ(user(R"({"type":"http","url":"https://a.example/mcp"})"), McpAdmission::allowed);
  EXPECT_EQ(user(R"({"type":"http","url":"https://evil.example/mcp"})"), McpAdmission::denied);
  EXPECT_EQ(user(R"({"type":"http","url":"https://a.other/mcp"})"), McpAdmission::denied);
}

TEST_F(McpPolicyTest, WhatIsDeniedIsSoInEverySpelling) {
  const auto policy = read_mcp_policy(
      {file(SettingSource::managed,
            R"({"deniedMcpServers":[{"serverUrl":"https://evil.example/*"},{"serverCommand":["npx","evil"]}]})")},
      true);
  const auto user = [&](std::string_view entry) { return admitted(server(entry, McpScope::user), policy); };
  for (const char* url : {"https://EVIL.example/mcp", "HTTPS://evil.example:443/mcp", "https://evil.example./mcp",
                          "https://${HOST}/mcp", "https://${X:-evil.example}/mcp", "${X:-https://evil.example}/mcp",
                          "https://evil.example", "https://evil.example?x", "https://me@evil.example/mcp"}) {
    EXPECT_EQ(user(to_json(JsonObject{{"type", "http"}, {"url", url}})), McpAdmission::denied) << url;
  }
  EXPECT_EQ(user(R"({"type":"http","url":"https://good.example/evil.example/"})"), McpAdmission::allowed);
  EXPECT_EQ(user(R"({"command":"${X:-npx}","args":["${Y:-evil}"]})"), McpAdmission::denied);
}

TEST_F(McpPolicyTest, AnotherHostIsNotAllowedBecauseItsPathLooksSo) {
  const auto policy = read_mcp_policy(
      {file(SettingSource::managed, R"({"allowedMcpServers":[{"serverUrl":"https://*.example.com/*"}]})")}, true);
  const auto user = [&](std::string_view url) {
    return admitted(server(to_json(JsonObject{{"type", "http"}, {"url", url}}), McpScope::user), policy);
  };
  EXPECT_EQ(user("https://a.example.com/mcp"), McpAdmission::allowed);
  EXPECT_EQ(user("https://a.b.example.com/mcp"), McpAdmission::allowed);
  for (const char* url : {"https://evil.com/a.example.com/mcp", "https://evil.com?a.example.com/mcp",
                          "https://evil.com#a.example.com/mcp", "https://a.example.com@evil.com/mcp",
                          "https://${X:-evil.com/}.example.com/mcp", "https://evil.com\\.example.com/mcp",
                          "http://a.example.com/mcp", "https://example.com/mcp"}) {
    EXPECT_EQ(user(url), McpAdmission::denied) << url;
  }
}

TEST_F(McpPolicyTest, AnEmptyListAllowsNothingAndABrokenOneNothingElse) {
  const auto empty = read_mcp_policy({file(SettingSource::managed, R"({"allowedMcpServers":[]})")}, true);
  EXPECT_EQ(admitted(server(R"({"command":"x"})", McpScope::user), empty), McpAdmission::denied);
  const auto broken = read_mcp_policy({file(SettingSource::user, R"({"deniedMcpServers":[{"oops":1}]})")}, true);
  EXPECT_EQ(admitted(server(R"({"command":"x"})", McpScope::user), broken), McpAdmission::denied);
}

TEST_F(McpPolicyTest, WhereOnlyTheAdministratorAllowsNobodyElseDoes) {
  const auto policy = read_mcp_policy({file(SettingSource::managed, R"({"allowManagedMcpServersOnly":true})"),
                                       file(SettingSource::user, R"({"allowedMcpServers":[{"serverName":"db"}]})")},
                                      true);
  EXPECT_EQ(admitted(server(R"({"command":"x"})", McpScope::user), policy), McpAdmission::denied);
}

}  // namespace
}  // namespace deft
