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
    return admit(settings, policy, approvals_, "/p", trusted).admission;
  }
  TempFolder folder_;
  McpApprovals approvals_{folder_ / "approvals.json", change_plainly};
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
  EXPECT_NE(admit(changed, {}, approvals_, "/p", true).reason.find("has changed"), std::string::npos);
  EXPECT_EQ(admit(one, {}, approvals_, "/other", true).admission, McpAdmission::needs_approval);
  ASSERT_TRUE(approvals_.remove_all("/p"));
  EXPECT_EQ(admitted(one), McpAdmission::needs_approval);
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
