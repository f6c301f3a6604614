#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "deft/core/permission.h"

namespace deft {

// What a host has said in this session of single MCP servers: where the mode would allow a call by itself, the tools of
// that server are asked about all the same (`normal`), or left to the classifier (`auto_`). In a mode that asks anyway
// it means nothing, so it never widens anything. Of all agents of the session; any thread may call.
class ServerModes {
 public:
  void set(const std::string& server, std::optional<Mode> mode);  // the name as rules write it; nothing: as all others
  // The permissions that a call of this tool is judged by.
  std::shared_ptr<const Permissions> apply(std::shared_ptr<const Permissions> permissions,
                                           const std::optional<McpToolName>& tool) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Mode> modes_;  // under mutex_
};

}  // namespace deft
