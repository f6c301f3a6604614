#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "deft/base/result.h"
#include "deft/core/permission.h"
#include "deft/core/schema.h"
#include "deft/tools/tool.h"

namespace deft {

struct RegisteredTool {
  std::shared_ptr<Tool> tool;  // shared: a message keeps the pool that it began with
  Schema input_schema;
};

// The tools at one moment. Immutable, so it never changes under a running message.
class ToolPool {
 public:
  // By name, then by alias; also tools that are not advertised.
  const RegisteredTool* find(std::string_view name) const;
  // What the model is shown: built-in tools by name, then all others by name. Adding a server moves no built-in.
  const std::vector<RegisteredTool>& advertised() const { return advertised_; }
  // [{"name","description","input_schema"}…]: the same tools give the same bytes, so prompt caches hold.
  std::string definitions(const SessionState& session) const;

 private:
  friend class ToolRegistry;
  std::unordered_map<std::string, RegisteredTool> by_name_;
  std::unordered_map<std::string, std::string> name_of_alias_;
  std::vector<RegisteredTool> advertised_;
};

// Name to tool. Owned by one thread; others get snapshots.
class ToolRegistry {
 public:
  // Refuses a name that no API takes and a schema that does not compile. A later tool of the same name and origin
  // replaces the earlier one; a built-in is never replaced by a stranger.
  Result<void> add(std::shared_ptr<Tool> tool);
  std::shared_ptr<const ToolPool> pool(const Permissions& permissions) const;

 private:
  std::vector<RegisteredTool> tools_;
};

}  // namespace deft
