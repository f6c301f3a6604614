#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "deft/agent/auto_tally.h"
#include "deft/agent/call_classifier.h"
#include "deft/agent/call_runner.h"
#include "deft/agent/event.h"
#include "deft/agent/hook_input.h"
#include "deft/agent/hook_runner.h"
#include "deft/agent/hook_stages.h"
#include "deft/agent/journal.h"
#include "deft/agent/result_store.h"
#include "deft/agent/server_modes.h"
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
  std::optional<HookOutcome> hooks;  // what the hooks said; they are asked once, also if the input was replaced
  bool approved = false;             // a person said yes to this very input
  std::optional<RiskOpinion> opinion = std::nullopt;  // of the classifier on this very input, if it came late

  Tool& tool() const { return *entry.tool; }
  bool cannot_have_effect() const { return read_only && !tool().makes_calls(); }
};

// prepare() ends in one of these.
struct Allowed {
  HookOutcome hooks;
  std::vector<std::string> paths = {};  // of the decision
};
struct Denied {
  ToolResult result;
};
struct Asks {
  Decision decision;
  HookOutcome hooks;
  std::vector<std::string> proposal = {};          // rules that would allow it from now on
  bool deferred = false;                           // a hook wants it to be decided later
  std::shared_ptr<Judgement> judgement = nullptr;  // of the classifier, which has not spoken yet
};
struct InputReplaced {
  Json input;
  HookOutcome hooks;
  bool by_hooks = true;  // false: by the tool itself; hooks have not been asked yet
};
using Prepared = std::variant<Allowed, Denied, Asks, InputReplaced>;

using StageTimes = std::vector<StageTime>;

// What one call needs from the turn, fixed when it starts.
struct CallSetting {
  SessionView session;
  std::shared_ptr<const Permissions> permissions;
  std::shared_ptr<const ToolPool> pool = nullptr;  // that the message began with
  std::stop_token stop;
  std::stop_token to_background;
  bool wants_proposal = false;  // somebody may be asked
  std::function<void(Json)> progress;
  const Json* answer = nullptr;
  StageTimes* times = nullptr;          // to be noted there
  std::vector<std::string> paths = {};  // that prepare() has allowed it to use
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
    const ResultLimits& limits;
    Frontend& frontend;
    std::string session_folder;
    FileChanges* changes = nullptr;
    CallClassifier* classifier = nullptr;  // outlives the pipeline; nothing: nobody is asked
    Duration opinion_patience = kOpinionPatience;
    CallRunner* runner = nullptr;  // where the classifier works; without one there is none
    std::shared_ptr<AutoTally> tally = std::make_shared<AutoTally>();
    const ServerModes* server_modes = nullptr;  // outlives the pipeline; nothing: all servers are alike
    std::string agent_id = {};                  // of a subagent
    std::string agent_type = {};
    bool only_reads = false;  // whatever the permissions say, nothing is changed
    bool wants_mcp_content = false;
  };
  explicit CallPipeline(Parts parts) : parts_(std::move(parts)) {}

  // `session` as it is now: what the tool declares with it is asked again by resolve().
  std::variant<AdmittedCall, ToolResult> admit(const ToolPool& pool, const Permissions& permissions,
                                               const SessionView& session, ToolCall call,
                                               StageTimes* times = nullptr) const;
  // A replaced input: admitted anew by the same tool.
  std::variant<AdmittedCall, ToolResult> readmit(const AdmittedCall& call, const SessionView& session, Json input,
                                                 StageTimes* times = nullptr) const;
  CallTraits traits(const AdmittedCall& call, Scheduling scheduling) const;
  // Makes paths absolute, the footprint exact and says for good whether it only reads. Asked when nothing before the
  // call can change its meaning any more, and always before prepare(): permission is judged on what the input means.
  Footprint resolve(AdmittedCall& call, const SessionView& session, Scheduling scheduling) const;

  // It reads files that it names, and nobody's program runs before or after it.
  bool is_quick(const AdmittedCall& call) const;

  // Stage 5 by itself, for a call that was asked about before: its hooks have spoken.
  Decision decide(const AdmittedCall& call, const CallSetting& setting) const;
  void approved_by_person() const { parts_.tally->approved(); }
  // Of the classifier, in auto mode; prepare() counts those that came in time.
  void count_opinion(const std::optional<RiskOpinion>& opinion) const;
  static ToolResult denial(const AdmittedCall& call, const Decision& decision);
  Prepared prepare(const AdmittedCall& call, const CallSetting& setting) const;
  ToolResult run(const AdmittedCall& call, const CallSetting& setting) const;
  // Instead of run(), where the tool can do it at once (Tool::run_briefly); nothing: it cannot.
  std::optional<ToolResult> run_briefly(const AdmittedCall& call, const CallSetting& setting) const;
  // `hooks`: what prepare() gave. `took`: how long run() was at it.
  void finish(const AdmittedCall& call, const CallSetting& setting, const HookOutcome& hooks, Duration took,
              ToolResult& result) const;
  // Instead of finish(), of a call that was stopped.
  void finish_stopped(const AdmittedCall& call, const CallSetting& setting, ToolResult& result) const;
  bool is_of_subagent() const { return !parts_.agent_id.empty(); }
  TimePoint now() const { return parts_.os.clock.now(); }
  std::optional<Wait> wait_for(const AdmittedCall& call, const CallSetting& setting) const;
  // A whole call at once, on this thread, within another one or beside the messages: all nine stages. Nobody is asked
  // about it. `outer_id` names who makes it; uses `setting` as it is, with these permissions.
  ToolResult call_within(const std::string& outer_id, const CallSetting& setting, std::string_view tool, Json input,
                         std::shared_ptr<const Permissions> permissions) const;
  // The same for a host, of a server's tool alone, under this id. `ask`: who is asked about what nobody else settles.
  using AskAndWait = std::function<PermissionAnswer(const PermissionAsked& asked)>;
  ToolResult call_for_host(const std::string& id, const CallSetting& setting, std::string_view tool, Json input,
                           const AskAndWait& ask) const;
  // For people who are asked about it.
  std::string title(const AdmittedCall& call) const;
  bool is_destructive(const AdmittedCall& call) const;

  // Hooks beside the stages: whether any listen, where they are, and running them, which is shown.
  bool listens(HookEvent event) const { return parts_.hooks.listens(event); }
  HookScene scene(std::string_view directory, Mode mode) const;
  // Of the session's own agent: subagents share its hooks.
  void end_turn_of_hooks() const {
    if (parts_.agent_id.empty()) parts_.hooks.end_turn();
  }
  HookOutcome run_hooks(const HookMoment& moment, const std::string& call_id, std::stop_token stop) const;
  // The call as hooks see it: under the name that the tool has today, whatever the model called it. A server's tool
  // under its full name; with_server() says whose it is.
  static ToolCall call_for_hooks(const AdmittedCall& call);
  static HookMoment with_server(HookMoment moment, const ToolSpec& spec);

  // Bounds an answer and remembers it. finish() does; the owner does for calls that never ran, or not to their end.
  void record(const std::string& call_id, const std::string& tool, ToolResult& result,
              Journal::When when = Journal::When::now) const;
  void flush_records() const;
  void record_discard() const;

 private:
  class Stage;
  std::variant<AdmittedCall, ToolResult> check(AdmittedCall call, const SessionView& session, StageTimes* times) const;
  ToolResult whole_call(ToolCall made, const CallSetting& setting, Origin origin, const AskAndWait& ask) const;
  ToolIo io_for(const AdmittedCall& call, const CallSetting& setting) const;
  template <class Run>
  std::optional<ToolResult> run_as(const AdmittedCall& call, const CallSetting& setting, const Run& run_tool) const;
  PermissionQuestion question(const AdmittedCall& call, const CallSetting& setting, const HookOutcome& hooks) const;
  std::shared_ptr<const Permissions> permissions_for(const AdmittedCall& call, const CallSetting& setting) const;
  ResultLimit limit_of(const AdmittedCall& call) const;
  void look_for_stale_files(const AdmittedCall& call, const CallSetting& setting, ToolResult& result) const;
  HookScene scene(const CallSetting& setting) const;
  HookOutcome run_pre_hooks(const AdmittedCall& call, const CallSetting& setting) const;
  OutputChange run_post_hooks(const AdmittedCall& call, const CallSetting& setting, Duration took,
                              ToolResult& result) const;
  std::shared_ptr<Judgement> start_classifier(const AdmittedCall& call, const CallSetting& setting) const;
  bool may_retry(const AdmittedCall& call, const CallSetting& setting, const Decision& decision) const;

  Parts parts_;
  mutable std::atomic<std::size_t> calls_within_ = 0;
};

}  // namespace deft
