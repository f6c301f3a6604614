#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "deft/base/result.h"
#include "deft/core/permission.h"
#include "deft/core/schema.h"
#include "deft/core/tool_discovery.h"
#include "deft/tools/tool.h"

namespace deft {

inline constexpr std::size_t kToolsPerGroupMax = 10'000;

// What does not change about a tool, worked out once: its definition as the model is shown it, and its input schema,
// compiled with the first call because most sessions call few of their tools.
class ToolForm {
 public:
  explicit ToolForm(std::shared_ptr<const Tool> tool);

  // {"name","description","input_schema"; the end is the caller's. The description may be the session's own.
  void append_to(std::string& out, const SessionState& session) const;
  std::size_t characters() const { return written_.size(); }  // about
  const Result<Schema>& input_schema();                       // from any thread

 private:
  std::string written(std::string_view description) const;

  const std::shared_ptr<const Tool> tool_;
  const std::string schema_;
  const std::string written_;  // with the tool's own description
  mutable std::mutex mutex_;
  mutable SharedText last_description_;  // under mutex_: of one that the session has its own of
  mutable std::string last_written_;     // under mutex_
  std::once_flag once_;
  std::optional<Result<Schema>> input_schema_;
};

struct RegisteredTool {
  std::shared_ptr<Tool> tool;  // shared: a message keeps the pool that it began with
  std::shared_ptr<ToolForm> form;
};

// The tools at one moment. Immutable, so it never changes under a running message.
class ToolPool {
 public:
  // By name, then by alias; also tools that are not advertised.
  const RegisteredTool* find(std::string_view name) const;
  // What the model may call: built-in tools by name, then all others by name. Adding a server moves no built-in.
  const std::vector<RegisteredTool>& advertised() const { return advertised_; }
  // Those of them that are left out of the prompt until they are loaded; sorted.
  const std::set<std::string, std::less<>>& deferred() const { return deferred_; }
  bool is_deferred(std::string_view name) const { return deferred_.contains(name); }
  bool defers_by_reference() const { return by_reference_; }
  // [{"name","description","input_schema"}…]: the same tools give the same bytes, so prompt caches hold. What was
  // loaded in the session follows all others, in the order of loading; what the API loads itself has "defer_loading".
  std::string definitions(const SessionState& session) const;

 private:
  friend class ToolRegistry;
  std::unordered_map<std::string, RegisteredTool> by_name_;
  std::unordered_map<std::string, std::string> name_of_alias_;
  std::vector<RegisteredTool> advertised_;
  std::set<std::string, std::less<>> deferred_;
  bool by_reference_ = false;
  std::size_t version_ = 0;     // of the registry
  std::vector<bool> disabled_;  // of its tools, in their order
};

// Name to tool. Owned by one thread; others get snapshots.
class ToolRegistry {
 public:
  // When the input schema is looked at: that of our own tools is known to be good, because a test compiles all of them.
  enum class SchemaCheck : std::uint8_t { now, with_the_first_call };
  // Refuses a name that no API takes and a schema that does not compile. A later tool of the same name and origin
  // replaces the earlier one; a built-in is never replaced by a stranger.
  Result<void> add(std::shared_ptr<Tool> tool, SchemaCheck check = SchemaCheck::now);
  // All tools of a group (a server) from now on, instead of those that it had. Of a name that two groups have, the
  // group that was set first keeps it, also while it has no tools: set all groups once, empty, in the order in which
  // they are configured. Returns what people should know: which tools cannot be used, and why.
  std::vector<std::string> set_group(const std::string& group, std::vector<std::shared_ptr<Tool>> tools);

  // Tools of which this is not true are not there, as long as nothing else is said. Nothing: all are.
  void offer_only(std::function<bool(const ToolSpec& spec)> offers) { offers_ = std::move(offers), ++version_; }
  void set_deferral(const Deferral& deferral) { deferral_ = deferral, ++version_; }
  std::shared_ptr<const ToolPool> pool(const Permissions& permissions);
  // Whether the same permissions would give the same pool now.
  bool is_current(const ToolPool& pool) const;
  // The model was shown these definitions: what stands there is not left out later on, so that the prompt keeps its
  // beginning.
  void keep_listed(const ToolPool& pool);

 private:
  struct Entry {
    RegisteredTool registered;
    std::size_t group = 0;  // 0: of none; else the place of its name in groups_, from 1
  };
  static bool comes_before(const Entry& a, const Entry& b);
  std::size_t number_of(const std::string& group);
  std::string name_of(std::size_t group) const;
  void defer(ToolPool& pool);

  std::size_t version_ = 0;   // counts what changes pools
  std::vector<Entry> tools_;  // built-ins by name, then all others by name; of one name, who wins is first
  std::vector<std::string> groups_;
  std::function<bool(const ToolSpec& spec)> offers_;
  Deferral deferral_;
  bool defers_ = false;  // once there were too many, it stays so: the prompt must not go back and forth
  std::set<std::string, std::less<>> kept_listed_;
};

}  // namespace deft
