#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/config/change_file.h"
#include "deft/config/mcp_settings.h"
#include "deft/config/settings_files.h"

// Which of the configured MCP servers may be started. A server is a program of somebody's choice: one that stands in a
// project's own file is started only in a folder that is trusted, and only after the user has agreed to exactly this
// entry.

namespace deft {

// A server that an administrator allows or denies: by its name, its command line or its address.
struct McpServerPattern {
  std::string name{};
  std::vector<std::string> command{};
  std::string url{};  // '*' stands for anything; in the host, for anything that a host may be

  // `server` as it will be started: with its variables put in.
  bool covers(const McpServerSettings& server) const;
};

struct McpPolicy {
  bool has_allowed = false;  // a list that is there and empty allows none
  std::vector<McpServerPattern> allowed{};
  std::vector<McpServerPattern> denied{};
  bool enable_all_project_servers = false;
  std::vector<std::string> enabled_project_servers{};
  std::vector<std::string> disabled_project_servers{};
};

// From the settings files, the strongest first. What a project's own settings enable does not count: nobody approves
// himself. Lists that cannot be read deny.
McpPolicy read_mcp_policy(const std::vector<LoadedFile>& files, bool trusted);

// The entries of project files that the user has agreed to, each for one folder, in a file that only they can read. A
// file that is broken has no agreement in it.
class McpApprovals {
 public:
  McpApprovals(std::string file, ChangeFile change_file)
      : file_(std::move(file)), change_file_(std::move(change_file)) {}
  static std::string default_file();  // $XDG_STATE_HOME/deft/mcp-approvals.json; empty without a home

  bool has(const std::string& folder, const McpServerSettings& server) const;
  // There is one for this name, of another entry: it has changed since.
  bool had(const std::string& folder, const McpServerSettings& server) const;
  Result<void> add(const std::string& folder, const McpServerSettings& server) const;
  Result<void> remove_all(const std::string& folder) const;

 private:
  Json read() const;

  std::string file_;
  ChangeFile change_file_;
};

enum class McpAdmission : std::uint8_t { allowed, disabled, denied, needs_trust, needs_approval };

struct McpAdmitted {
  McpAdmission admission = McpAdmission::allowed;
  std::string reason{};  // what to do about it; empty if it is allowed
};

// `lookup`: what the variables are that stand in it. What an administrator forbids is so in every spelling.
McpAdmitted admit(const McpServerSettings& server, const McpPolicy& policy, const McpApprovals& approvals,
                  const std::string& folder, bool trusted, const VariableLookup& lookup);

}  // namespace deft
