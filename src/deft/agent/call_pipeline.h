#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "deft/agent/event.h"
#include "deft/agent/hook_runner.h"
#include "deft/agent/journal.h"
#include "deft/agent/result_store.h"
#include "deft/core/message_run.h"
#include "deft/tools/registry.h"
#include "deft/tools/tool.h"

namespace deft {

// A call whose tool is known and whose input fits the schema.
struct AdmittedCall {
  ToolCall call;
  RegisteredTool entry;
  Footprint footprint;  // as declared, paths as given; then resolved
  bool footprint_declared = false;
  bool resolved = false;  // paths in the input are absolute, those of the footprint canonical
  bool read_only = false;
  bool concurrency_safe = false;
  std::optional<BeforeCall> hooks;  // what the hooks said; they are asked once, also if the input was replaced
  bool approved = false;            // a person said yes to this very input

  Tool& tool() const { return *entry.tool; }
};

// prepare() ends in one of these.
struct Allowed {};
struct Denied {
  ToolResult result;
};
struct Asks {
  Decision decision;
  BeforeCall hooks;
  std::vector<std::string> proposal = {};  // rules that would allow it from now on
};
struct InputReplaced {
  Json input;
  BeforeCall hooks;
};
using Prepared = std::variant<Allowed, Denied, Asks, InputReplaced>;

// What one call needs from the turn, fixed when it starts.
struct CallSetting {
  SessionView session;
  std::shared_ptr<const Permissions> permissions;
  std::stop_token stop;
  std::stop_token to_background;
  bool wants_proposal = false;  // somebody may be asked
  std::function<void(Json)> progress;
  const Json* answer = nullptr;
};

enum class Scheduling : std::uint8_t {
  footprints,  // calls that touch different things overlap
  exclusive,   // safe calls beside safe calls, every other call alone
};

// The nine stages that every call passes, at any depth. There is no other way to run a tool.
//   admit     1 look-up · 2 schema                        on the turn's thread: quick, asks nobody
//   prepare   3 validation · 4 hooks · 5 permission, intent   on a worker
//   run       6 the call itself                           on a worker
//   finish    7 hooks · 8 map · 9 budget, result              on a worker
// Stateless between calls; used from several threads at once.
class CallPipeline {
 public:
  struct Parts {
    Os os;
    HookRunner& hooks;
    Journal& journal;
    const ResultStore& results;
    Frontend& frontend;
    std::string session_folder;
    FileChanges* changes = nullptr;
  };
  explicit CallPipeline(Parts parts) : parts_(std::move(parts)) {}

  // `session` as it is now: what the tool declares with it is asked again by resolve().
  std::variant<AdmittedCall, ToolResult> admit(const ToolPool& pool, const Permissions& permissions,
                                               const SessionView& session, ToolCall call) const;
  // A replaced input: admitted anew by the same tool.
  std::variant<AdmittedCall, ToolResult> readmit(const AdmittedCall& call, const SessionView& session,
                                                 Json input) const;
  CallTraits traits(const AdmittedCall& call, Scheduling scheduling) const;
  // Makes paths absolute, the footprint exact and says for good whether it only reads. Asked when nothing before the
  // call can change its meaning any more, and always before prepare(): permission is judged on what the input means.
  Footprint resolve(AdmittedCall& call, const SessionView& session, Scheduling scheduling) const;

  // Stage 5 by itself, for a call that was asked about before: its hooks have spoken.
  Decision decide(const AdmittedCall& call, const CallSetting& setting) const;
  static ToolResult denial(const AdmittedCall& call, const Decision& decision);
  Prepared prepare(const AdmittedCall& call, const CallSetting& setting) const;
  ToolResult run(const AdmittedCall& call, const CallSetting& setting) const;
  void finish(const AdmittedCall& call, const CallSetting& setting, ToolResult& result) const;
  std::optional<Wait> wait_for(const AdmittedCall& call) const;
  // For people who are asked about it.
  std::string title(const AdmittedCall& call) const;
  bool is_destructive(const AdmittedCall& call) const;

  // Remembers an answer. finish() does; the owner does for calls that never ran.
  void record(const std::string& call_id, const std::string& tool, const ToolResult& result) const;
  void record_discard() const;

 private:
  class Stage;
  ToolIo io_for(const AdmittedCall& call, const CallSetting& setting) const;
  PermissionQuestion question(const AdmittedCall& call, const CallSetting& setting, const BeforeCall& hooks) const;

  Parts parts_;
};

}  // namespace deft
