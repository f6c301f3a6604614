#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "deft/agent/call_pipeline.h"
#include "deft/agent/call_runner.h"
#include "deft/agent/event.h"
#include "deft/agent/given_results.h"
#include "deft/agent/permission_store.h"
#include "deft/agent/prompt_queue.h"
#include "deft/agent/session_slots.h"
#include "deft/base/mailbox.h"
#include "deft/core/message_run.h"
#include "deft/core/permission_update.h"
#include "deft/tools/registry.h"
#include "deft/tools/shown_definitions.h"

namespace deft {

inline constexpr std::size_t kCallsPerMessageMax = 100'000;
inline constexpr std::size_t kEarlyAnswersMax = 1'000;
inline constexpr std::size_t kAlwaysRulesMax = 20;
inline constexpr Duration kSideHooksGrace = std::chrono::seconds(5);  // at the end, for hooks that nobody waits for

// What an executor is fed with. Loose calls belong to one message until MessageEnded.
struct CallArrived {
  ToolCall call;
};
struct CallCancelled {
  std::string call_id;  // whoever made the call takes it back
};
struct MessageEnded {};
struct Interrupted {};  // the user has sent a new message
struct Aborted {};      // Ctrl-C, Esc, shutdown
struct StreamBroke {};  // the message is being asked for again
struct InputEnded {};   // no more messages come
struct ToolOffered {
  std::shared_ptr<Tool> tool;  // available from the next message on
};
// All tools of a group, a server, instead of those that it had: available from the next message on.
struct ToolsChanged {
  std::string group;
  std::vector<std::shared_ptr<Tool>> tools;
};
struct HostAnswer {
  std::string call_id;
  Json answer;
};
struct ContextForgotten {};  // the model does not see earlier results any more: its context was emptied or compacted
struct MovedToBackground {
  std::string call_id;  // that runs: it goes on, and is answered now
};
struct ModeWanted {
  Mode mode = Mode::normal;  // by the person or the host; counts for calls that begin from now on
};
// Rules that the person has allowed for this session, on another occasion than a question of this agent.
struct RulesGranted {
  std::vector<std::string> rules;
};
using Feed = std::variant<CallArrived, CallCancelled, MessageEnded, Interrupted, Aborted, StreamBroke, InputEnded,
                          ToolOffered, ToolsChanged, PermissionAnswer, HostAnswer, ContextForgotten, MovedToBackground,
                          ModeWanted, RulesGranted>;

enum class Asking : std::uint8_t {
  nobody,    // headless: what would be asked is denied
  frontend,  // questions go to the prompt queue, answers come as PermissionAnswer, until the input ends
  person,    // the same, and whoever answers is still there when the input has ended
};

// In which order those are asked who may settle a question.
enum class Handler : std::uint8_t {
  interactive,  // hooks and people at the same time: the first answer counts
  coordinator,  // of a subagent: hooks first, and people only about what these leave open
  worker,       // of a member of a team: its coordinator alone
};

struct ExecutorOptions {
  std::size_t slots = kSlotsDefault;
  Scheduling scheduling = Scheduling::footprints;
  bool streaming = true;  // false: a message's calls are collected and run as batches when it has ended
  bool sibling_cancellation = true;
  bool in_order = true;  // false: calls of several clients, each answered when it has finished
  Asking asking = Asking::nobody;
  // A call that a hook wants decided later, and that stands alone, stays unanswered: take_deferred().
  bool defers = false;
  Handler handler = Handler::interactive;
  // How long somebody has time to answer; nothing: as long as the call waits.
  std::optional<Duration> permission_time = std::nullopt;
  std::optional<Duration> question_time = std::nullopt;  // for questions of the model's own (AskUserQuestion)
  Duration stop_grace = std::chrono::seconds(10);        // then a worker that does not stop is answered for
};

struct ExecutorSummary {
  std::size_t calls = 0;
  std::size_t errors = 0;
  bool aborted = false;
  std::size_t stuck_workers = 0;  // threads that never came back: the process must leave with _exit
};

// Carries out messages of tool calls: fed by hand from any thread, worked off by run() on one. Everything that happens
// is an item in one inbox with one reader, so there are no locks here; blocking work is done by the runner's threads,
// which must have ended before the executor does.
class Executor {
 public:
  struct Parts {
    const CallPipeline& pipeline;
    CallRunner& runner;
    Frontend& frontend;
    PromptQueue& prompts;
    const Clock& clock;
    ToolRegistry& registry;
    SessionState& session;
    std::shared_ptr<const Permissions> permissions;
    GivenResults& given;
    SessionSlots& slots;
    PermissionStore* store = nullptr;  // nothing: settings never change, and rules live as long as the session
    // Told of every new snapshot, on the turn's thread.
    std::function<void(const std::shared_ptr<const Permissions>&)> publish = nullptr;
    std::string agent_id = {};  // of a subagent: as people are told who asks
    std::string agent_type = {};
  };
  Executor(Parts parts, ExecutorOptions options);
  ~Executor();

  void feed(Feed item) { inbox_->push(std::move(item)); }
  // Works until the input has ended, or was aborted, and every call is answered.
  ExecutorSummary run();

  // For whoever shares the turn's thread and its inbox (Agent), instead of run(): from any thread, runs `work` on the
  // thread that calls step().
  void post(std::move_only_function<void()> work) { inbox_->push(Posted{std::move(work)}); }
  // The others on that thread only. step() waits for one thing to happen, or for a timer, and does what follows;
  // meanwhile it keeps the pump going, if there is one.
  void step(Pump* pump = nullptr);
  void post_at(TimePoint when, std::move_only_function<void()> work) { alarms_.emplace(when, std::move(work)); }
  void take_now(Feed item);  // feed() without the way through the inbox
  void take_waiting();       // what was fed so far, without waiting for more
  // A call that runs goes on in the background, if it can, and is answered now; "": all of them. How many were asked
  // to.
  std::size_t to_background(std::string_view call_id);
  bool idle() const { return !active_ && next_messages_.empty(); }
  void begin_turn();                                    // after an abort, calls are taken again
  bool is_aborted() const { return summary_.aborted; }  // also by a person's denial that ends the turn
  void use_ids(const std::string& call_id) { ids_seen_.insert(call_id); }  // of earlier runs of the session
  std::shared_ptr<const ToolPool> pool();                                  // for the next message
  // The call of the last message that is to be decided later, as it would have run: it was not answered.
  std::optional<ToolCall> take_deferred() { return std::exchange(deferred_, std::nullopt); }
  // For calls that belong to no message, such as those that a prompt's text asks for: to be made on a worker, with the
  // session as it is now.
  CallWithin gate(const std::string& id, std::stop_token stop);
  // The same for a call of a server's tool that the host makes, under this id; `ask` is asked as AskAndWait says.
  using HostGate = std::function<ToolResult(std::string_view tool, Json input)>;
  HostGate host_gate(const std::string& id, CallPipeline::AskAndWait ask, std::stop_token stop);
  // A change of the session that no call makes, between messages.
  void change_session(const Modifier& modifier);
  // A further one that calls may work in, between messages; canonical.
  void add_directory(const std::string& directory);
  // The definitions that the model is shown now; what stands there is not left out later on.
  const SharedText& definitions(const std::shared_ptr<const ToolPool>& shown);
  // Tells Notification hooks; nobody waits for them.
  void notify(std::string_view type, std::string_view message);
  // Ends what hooks still do beside the turn: before the runner's threads are waited for.
  void end_side_hooks() { side_hooks_.request_stop(); }
  // Threads that were told to stop and never came back: the process must leave with _exit.
  std::size_t stuck_workers() const { return summary_.stuck_workers; }

 private:
  struct Beside {  // what a call needs that belongs to no message
    std::shared_ptr<const SessionState> session;
    CallSetting setting;
  };
  std::shared_ptr<const Beside> beside(std::stop_token stop);
  struct Task;        // what a worker has of a call
  struct CallRecord;  // what the turn has of a call
  struct ActiveMessage;
  struct Waits {
    Wait wait;
    HookOutcome hooks;  // what they said before it
  };
  struct Ended {
    ToolResult result;
    bool ran = false;
    bool recorded = false;  // in the journal
  };
  struct WorkerReport {
    std::size_t message = 0;
    CallIndex call = 0;
    std::variant<Asks, Waits, InputReplaced, Ended> what;
    StageTimes times = {};  // of the stages that it was at
  };
  struct WaitEnded {
    std::size_t message = 0;
    CallIndex call = 0;
  };
  struct RulesKept {  // or not
    std::vector<std::string> rules;
    std::optional<Error> error;
  };
  struct PermissionHooksSpoke {
    std::size_t message = 0;
    std::string question;
    HookOutcome outcome;
  };
  struct ClassifierSpoke {
    std::size_t message = 0;
    std::string question;
    std::optional<RiskOpinion> opinion;
  };
  struct BatchHooksSpoke {
    std::size_t message = 0;
    HookOutcome outcome;
  };
  struct SideHooksEnded {
    bool judged_settings = false;
    std::optional<PermissionStore::Changed> settings = std::nullopt;  // those that they have let pass
  };
  struct SlotMayBeFree {};  // it was not when we asked
  struct Posted {
    std::move_only_function<void()> work;
  };
  using Item = std::variant<Feed, WorkerReport, WaitEnded, RulesKept, PermissionHooksSpoke, ClassifierSpoke,
                            BatchHooksSpoke, SideHooksEnded, SlotMayBeFree, Posted>;
  struct Timer {
    std::size_t message;
    CallIndex call;
    enum class Kind : std::uint8_t { wait_over, stop_grace_over } kind;
  };

  void take(Feed item);
  void take(WorkerReport report);
  void take(WaitEnded wait);
  void take(SlotMayBeFree) {
    slots_->look_again([this] { advance(); });
  }
  void take(Posted posted) { posted.work(); }
  void take(CallIndex call, Asks asks);
  void take(CallIndex call, Waits waits);
  void take_call(ToolCall call);
  void take_answer(HostAnswer answer);

  // executor_questions.cc: what is asked of people, and the permissions that their answers change.
  void take_answer(PermissionAnswer answer);
  void take(RulesKept kept);
  bool can_ask_somebody() const {
    return options_.asking == Asking::person || (options_.asking == Asking::frontend && !input_ended_);
  }
  bool asks_hooks() const;
  void open_question(CallIndex call);
  void show_question(CallIndex call);
  void settle_question(CallIndex call, PermissionAnswer answer);
  void settle_late(const std::string& question, PromptKind kind);  // its deadline has passed
  void close_question(CallRecord& record, PromptQueue::Because because = PromptQueue::Because::withdrawn);
  void deny_unasked(CallIndex call);
  void take(ClassifierSpoke spoke);
  void allow_always(AlwaysAllow always, const std::vector<std::string>& proposal);
  void add_session_rules(const std::vector<std::string>& rules);
  void reload_permissions();
  std::shared_ptr<const ToolPool> current_pool();
  void use_changed_settings(PermissionStore::Changed changed);
  void use_permissions(PermissionSetup setup);
  void reconsider_questions();
  bool reconsider_question(CallIndex call);
  void take_mode(Mode wanted);
  void follow_session();  // the permissions become what its mode, its skills and its worktree say
  std::shared_ptr<const Permissions> permissions_for(const SessionView& view) const;
  void deny_open_questions();

  // executor_deferral.cc: calls that are to be decided later.
  void put_off(CallIndex call, Asks asks);
  void settle_put_off();

  // executor_hooks.cc: hooks that are asked beside a call, not within it.
  void ask_permission_hooks(CallIndex call);
  void take(PermissionHooksSpoke spoke);
  void update_permissions(const JsonArray& updates);
  bool wants_proposals() const;
  void note_for_batch_hooks(const CallRecord& record);
  bool waits_for_batch_hooks();
  bool waits_for_side_hooks();
  void take(BatchHooksSpoke spoke);
  void judge_changed_settings(PermissionStore::Changed changed);
  void take(SideHooksEnded ended);
  void start_side_hooks(std::move_only_function<SideHooksEnded(std::stop_token)> work);

  void end_host_call(CallIndex call, Json answer);
  void end_wait(CallIndex call);
  void cancel_call(const std::string& call_id);
  void fire_timers(TimePoint now);
  void forget_context();
  void end_grants();
  void begin_message();
  void advance();  // does what the message run says, until it has nothing more to say
  void end_message();

  void add_to_run(ToolCall call);
  void answer(CallIndex call, Ended ended);
  void start_worker(CallIndex call);
  void stop_call(CallIndex call, const Cancellation& why);
  void replace_input(CallIndex call, Json input);
  void finish_call(CallIndex call, Ended ended);
  void emit(CallIndex call);
  GivenResults::Leaving leaving(const CallRecord& record) const;
  void publish_progress();
  void nobody_answers_any_more();
  Scheduling scheduling() const { return options_.streaming ? options_.scheduling : Scheduling::exclusive; }
  SessionView view_for(CallIndex call) const;
  SessionView view_of_now() const { return SessionView(parts_.session, {}); }
  bool is_brief(const CallRecord& record) const;
  static WorkerReport work(const CallPipeline& pipeline, Task& task);
  // Nothing: it takes longer, and is still to be done.
  static std::optional<WorkerReport> work_briefly(const CallPipeline& pipeline, Task& task);
  static std::optional<WorkerReport> prepare(const CallPipeline& pipeline, Task& task);
  static WorkerReport finish(const CallPipeline& pipeline, Task& task, Duration took, ToolResult result);

  Parts parts_;
  ExecutorOptions options_;
  std::shared_ptr<Mailbox<Item>> inbox_ = std::make_shared<Mailbox<Item>>();  // also of whoever ends a wait
  std::unique_ptr<SessionSlots::Seat> slots_;
  std::unique_ptr<CancelScope> turn_ = std::make_unique<CancelScope>();
  std::unique_ptr<ActiveMessage> active_;
  std::size_t messages_begun_ = 0;
  std::deque<Feed> next_messages_;  // what came while the active message was still being carried out
  TimePoint looked_at_settings_{};  // when the active message began
  bool is_looked_at_ = false;       // for the next request too
  bool input_ended_ = false;
  bool forgets_context_ = false;  // when the message has ended
  bool has_no_turns_ = false;     // fed by hand: a message is all the turn there is
  std::unordered_set<std::string> ids_seen_;
  std::multimap<TimePoint, Timer> timers_;
  std::multimap<TimePoint, std::move_only_function<void()>> alarms_;
  std::unordered_map<std::string, CallIndex> questions_;   // open ones of the active message, by id
  std::unordered_map<std::string, CallIndex> host_calls_;  // of the active message, by call id
  std::unordered_map<std::string, Json> early_answers_;    // of the host, to calls that it was not asked for yet
  std::unordered_set<std::string> ids_answered_by_host_;
  std::optional<ToolCall> deferred_;
  std::vector<std::string> session_rules_;         // that people allowed in this session
  std::vector<PermissionUpdate> session_updates_;  // of rules, that hooks made in this session
  std::size_t rules_being_kept_ = 0;               // workers that write them
  std::stop_source side_hooks_;
  std::size_t side_hooks_running_ = 0;
  bool side_hooks_end_is_due_ = false;         // an alarm is set for it
  bool hurries_later_ = false;                 // an alarm is set that hurries the runner
  bool settings_are_judged_ = false;           // by ConfigChange hooks
  std::shared_ptr<const ToolPool> last_pool_;  // and what it was made for
  std::shared_ptr<const Permissions> last_pool_permissions_;
  ShownDefinitions shown_definitions_;
  ExecutorSummary summary_;
};

}  // namespace deft
