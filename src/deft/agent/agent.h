#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deft/agent/agent_hooks.h"
#include "deft/agent/attempts.h"
#include "deft/agent/compaction.h"
#include "deft/agent/engine.h"
#include "deft/agent/prompt_commands.h"
#include "deft/agent/session.h"
#include "deft/agent/session_log.h"
#include "deft/agent/streamed_message.h"
#include "deft/agent/structured_output.h"
#include "deft/agent/timeline_recorder.h"
#include "deft/agent/turn.h"
#include "deft/core/context_gauge.h"
#include "deft/core/conversation.h"
#include "deft/model/model.h"

namespace deft {

class BackgroundTasks;

inline constexpr std::size_t kOutputTokensDefault = 32'000;
inline constexpr std::size_t kOutputTokensMax = 128'000;
inline constexpr std::size_t kPausesMax = 20;              // of the provider's own tools, in a row
inline constexpr std::size_t kBrokenMessagesKeptMax = 10;  // in a row

inline constexpr std::size_t kToldWaitingMax = 200;  // messages of tell() that the model has not read yet
inline constexpr std::size_t kToldAtEndMax = 5;      // requests in a turn that were made for their sake alone

struct TurnLimits {
  std::optional<std::size_t> requests_max = std::nullopt;  // answered in one turn
  std::optional<double> cost_max = std::nullopt;           // of this run, subagents included, as `cost` says
  std::optional<std::uint64_t> tokens_max = std::nullopt;  // of this run, in and out
};

// Those who work for an agent (agent/subagents.h). Any thread may call.
class AgentChildren {
 public:
  virtual ~AgentChildren() = default;
  virtual bool take(Feed& item) = 0;                 // true: it was meant for one of them alone
  virtual std::vector<std::string> take_news() = 0;  // of those in the background that have ended: for the model
  virtual bool at_work() const = 0;                  // in the background
  virtual void abort() = 0;                          // all of them end soon
  virtual void end() = 0;                            // the same, and it is waited for
};

// Prompts that wait for a turn of their own, and may be told to the model in the one under way instead, with the next
// results. They stay their owner's until they are taken. On the turn's thread.
class WaitingPrompts {
 public:
  virtual ~WaitingPrompts() = default;
  virtual std::vector<Prompt> offered() = 0;       // in order; each has a uuid
  virtual bool take(const std::string& uuid) = 0;  // false: it is not to be had any more
};

// How long a conversation may become.
struct ContextLimits {
  std::uint64_t window_tokens = kContextWindowTokensDefault;  // of the model
  bool automatic = true;  // it is compacted when it is nearly full; false: the turn ends when it is
};

struct AgentOptions {
  EngineOptions engine;  // where it works, with which permissions, in which session folder
  std::string model;
  std::vector<std::string> fallback_models = {};  // in this order, when the model is overloaded
  SharedText system = {};
  std::size_t output_tokens_max = kOutputTokensDefault;
  std::optional<Json> thinking = std::nullopt;
  std::string effort = {};
  std::optional<Json> output_format = std::nullopt;
  std::optional<Json> tool_choice = std::nullopt;
  std::string session_id = {};
  ResumePoint resume = {};                                 // of a session that was used before
  bool raw_events = false;                                 // RawEventArrived too
  std::shared_ptr<StructuredOutput> structured = nullptr;  // what a turn has to end with; its tool is to be added
  std::shared_ptr<PromptCommands> commands =
      nullptr;  // that prompts may call; nothing: "/name" is a text like any other
  TurnLimits limits = {};
  ContextLimits context = {};
  bool mode_is_chosen = false;        // by a person, for this run: a session that was planning then does so no more
  AgentChildren* children = nullptr;  // outlives the agent; nothing: it starts no others
  WaitingPrompts* waiting = nullptr;  // outlives its turns; nothing: nobody waits
  bool waits_for_children = false;    // a turn does not end before those in the background have
  std::optional<Duration> children_patience = std::nullopt;  // but no later than this; nothing: as late as it takes
  // What the model shall know with its next request, each once; no request is made for it.
  std::function<std::vector<std::string>()> take_reminders = nullptr;
  // What runs in the background of the session; the model is told of it where a summary takes the place of what said
  // so.
  std::shared_ptr<const BackgroundTasks> tasks = nullptr;
  // Tools that are found by ToolSearch, if the agent has that.
  Deferral deferral = {.when = Deferral::When::when_many};
  std::size_t retries_max = kModelRetriesDefault;
  bool retry_overload_for_ever = false;
  RetryDelay retry_delay = nullptr;  // nothing: exponential back-off
  std::function<double(const std::string& model, const Json& usage)> cost =
      nullptr;  // nothing: what it costs is not known
};

// What SessionStart hooks had to say, beside the context that goes with the first prompt.
struct SessionBegin {
  std::optional<std::string> first_prompt = std::nullopt;
  std::optional<std::string> title = std::nullopt;
};

// An agent: a model, and hands. One turn goes from a prompt to the model's last word: ask, carry out the calls while
// they stream in, give back their results, ask again.
//   auto agent = Agent::open({.engine = {.working_directory = "/project"}, .model = "…"}, client, frontend);
//   (*agent)->add_tool(std::make_shared<MyTool>());
//   (*agent)->run_turn(Prompt::of("Why does the build fail?"));
// run_turn() blocks: the caller's thread is the turn's thread, everything that happens is an item in its one inbox.
// Whatever happens in a turn, the history that it leaves behind is one that the API accepts. A session folder that was
// used before is gone on with (agent/session.h), however the process that used it has ended.
class Agent final : private Frontend {
 public:
  static Result<std::unique_ptr<Agent>> open(AgentOptions options, ModelClient& model, Frontend& frontend);
  ~Agent() override;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // Between turns.
  Result<void> add_tool(std::shared_ptr<Tool> tool, Engine::SchemaCheck check = Engine::SchemaCheck::now) {
    return engine_->add_tool(std::move(tool), check);
  }
  TurnEnd run_turn(const Prompt& prompt);
  // A turn is about to begin: an abort that comes from now on is meant for it.
  void announce_turn();
  // It has ended without run_turn(): an abort that comes from now on is meant for nobody.
  void announce_end();
  AgentOptions& options() { return options_; }  // model, system and the like count from the next request on
  const History& history() const { return conversation_.messages(); }
  Engine& engine() { return *engine_; }
  const SessionUsage& usage() const { return usage_; }            // of the session, earlier runs and subagents included
  SessionUsage usage_of_this_run() const;                         // of that, what came since open()
  std::size_t interrupted_calls() const { return interrupted_; }  // of an earlier run, now answered as such
  // A call that a hook wanted decided later: the next turn begins with it, and the hook is asked again.
  const std::optional<ToolCall>& deferred() const { return deferred_; }
  // What the session's journal says last of it (Journal::state): "title", "mode" …; null: nothing.
  Json state(const std::string& key) const;
  void set_state(const std::string& key, Json value);
  // SessionStart and SessionEnd hooks; they are waited for. `source`: "startup", "resume", "clear", "compact", "fork";
  // `reason`: "clear", "logout", "prompt_input_exit", "other".
  SessionBegin begin_session(std::string_view source);
  void end_session(std::string_view reason);
  // Makes the conversation shorter by hand: "/compact". Blocks as run_turn() does. Errors: `invalid_input` if there is
  // nothing to compact, `denied` by a hook, `cancelled` by abort(), else why the model wrote no summary.
  Result<CompactionDone> compact(std::string instructions = {});
  std::uint64_t context_tokens() const;  // estimated, of the next request
  // Forgets the conversation, as "/clear" does; what was done stays done.
  void clear();
  // What the model is told with the next prompt.
  void add_context(std::string text) { context_.push_back(std::move(text)); }

  // For others who ask hooks on the turn's thread.
  AgentHooks& hooks() { return *hooks_; }
  HookScene hook_scene() const;

  // From any thread; without a turn they change nothing.
  void abort();  // Ctrl-C: the request is cancelled, calls are stopped, the turn ends
  void interrupt(
      Prompt prompt);  // a new message of the user: calls that can be interrupted stop; it follows the results
  // The turn makes room for another: what can be interrupted stops, calls that cannot are finished, and it ends.
  // Between two turns nothing happens.
  void make_room();
  void look_at_waiting();         // there is one more; a turn that only waits for others takes it now
  void feed(Feed answer);         // answers to questions, results of the host's tools
  void wake(std::string notice);  // there is news of the children; `notice` is for people
  // Something has happened that the model should know of, such as a line of a monitored command. It is told before its
  // next request, and asked once more if it had said its last word, though not without end.
  void tell(std::string text);
  void add_usage(const SessionUsage& used);  // of a child
  struct Spent {
    double cost = 0;
    std::uint64_t tokens = 0;
  };
  Spent spent() const { return {cost_spent_, tokens_spent_}; }  // usage_of_this_run(), as it was not long ago

 private:
  enum class Phase : std::uint8_t {
    idle,
    asking,      // a request is under way
    waiting,     // for the time to make it again
    compacting,  // a summary of the conversation is written
    finishing,   // the message has ended, its calls have not all
    prompting,   // hooks are asked about what the user said
    awaiting,    // those in the background have not ended
    stopping,    // hooks are asked whether the turn may end
  };

  Agent(AgentOptions options, ModelClient& model, Frontend& frontend);
  Executor& executor() { return engine_->executor(); }
  void show(Event event) override;  // of the engine
  bool wants_stages() const override { return frontend_.wants_stages(); }
  bool wants_progress() const override { return frontend_.wants_progress(); }
  bool wants_times() const override { return frontend_.wants_times(); }
  bool wants_hooks() const override { return frontend_.wants_hooks(); }

  Result<void> resume(Session session);

  // The turn, in the order in which it happens.
  void begin_turn(const Prompt& prompt);
  void send_request();  // agent_request.cc: this, the next three and reached_limit()
  ModelRequest make_request(const std::shared_ptr<const ToolPool>& pool);
  void get_ready_for_calls(const std::shared_ptr<const ToolPool>& pool);
  void write_timeline_soon();
  void take(ModelEvent event);
  void take_call(CallReady ready);
  void take_message(Message message);
  void take_failure(ModelFailed failed);
  void advance();
  void finish_message();
  void answer_calls();
  void go_on_without_calls();
  void end_deferred(ToolCall call);
  void resume_deferred();
  bool wants_structured_output() const;
  void ask_for_structured_output();
  void end_turn(TurnReason reason, std::string explanation = {});

  void take_abort(std::size_t turn);
  // agent_waiting.cc: what is said while a turn is under way
  void take_interrupt(Prompt prompt);
  void take_make_room(std::size_t turn);
  void add_waiting();
  void drop_waiting();
  void end_request();
  void ask_again_in(Duration delay);
  bool ask_for_less(const ModelFailure& failure);
  bool discard_message();
  void keep_message(Message message, MessageCompleted::How how);
  bool add_prompts();

  // agent_turn_hooks.cc: what hooks have a say in, beside calls.
  struct GivenPrompt {
    std::size_t number = 0;
    Prompt prompt;
    bool is_judged = false;
    bool waits = false;  // it is still its owner's: WaitingPrompts
    HookOutcome said = {};
    // Of one that calls a command.
    std::optional<std::string> refusal = std::nullopt;  // why it was not carried out
    std::vector<std::string> expansion_context = {};    // of hooks
    std::optional<TurnGrant> grant = std::nullopt;
  };
  enum class AfterPrompts : std::uint8_t { first_request, next_request, last_word };
  bool is_subagent() const { return !options_.engine.agent_id.empty(); }
  void take_prompt(Prompt prompt, bool waits = false);
  std::optional<HookMoment> moment_of(const Prompt& prompt);
  void await_prompts(AfterPrompts after);
  void go_on_with_prompts();
  std::optional<std::string> stop_after_calls() const;
  bool add_late_words();
  bool add_news();
  void add_reminders();
  void drop_news();
  void count(const std::string& model, const Json& usage, double cost);
  void consider_end();
  void await_children();
  void take_stop_hooks(const HookOutcome& outcome);
  struct SaidBy {
    std::string uuid = {};         // of what a person said
    std::string_view source = {};  // who else told it
  };
  void add_user(const std::string& content, const SaidBy& by);
  // agent_commands.cc: prompts that call a command, and what a skill changes for the turn.
  GivenPrompt* given_prompt(std::size_t number);
  void look_for_command(std::size_t number);
  void expand_command(std::size_t number, const PromptCommand& command);
  void take_expansion(std::size_t number, Result<PromptCommands::Expanded> expanded);
  void follow_grants();
  std::string effort() const;
  void go_on_in_worktree(const WorktreeStay& stay);
  // agent_discovery.cc: what the model is told, once, before it is asked.
  void announce_tools(const ToolPool& pool);  // the names of those that are left out of the prompt
  void announce_plan_mode();
  void remember_planning();
  void go_on_planning();

  // agent_compaction.cc
  enum class AfterCompaction : std::uint8_t { nothing, request_might_fit, request_did_not_fit };
  std::uint64_t context_window() const;
  bool has_room() const;
  std::string what_takes_the_context() const;
  bool should_compact() const;
  void compact_before_request();
  bool compact_after_overflow();
  void begin_compaction(std::string trigger, std::string instructions, std::size_t kept, AfterCompaction after);
  void take_compaction(std::size_t kept, Result<CompactedText> text);
  void use_compaction(std::size_t kept, const CompactedText& text);
  std::string with_standing_work(const std::string& summary) const;
  bool abort_compaction();
  std::optional<TurnReason> reached_limit() const;
  Attempts fresh_attempts() const;

  AgentOptions options_;
  ModelClient& model_;
  const SystemClock system_clock_;
  TimelineRecorder timeline_;  // stands before the frontend
  Frontend& frontend_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<AgentHooks> hooks_;
  std::unique_ptr<Compaction> compaction_;
  std::vector<std::string> context_;  // of hooks, for the next prompt
  std::size_t prompts_given_ = 0;
  bool has_started_ = false;          // a subagent: its hooks know
  bool knows_of_planning_ = false;    // the model was told that plan mode is on
  std::size_t names_told_later_ = 0;  // characters of all reminders of tools but the first
  Conversation conversation_;
  std::optional<SessionLog> log_;
  SessionUsage usage_;
  SessionUsage usage_before_;  // of earlier runs
  std::atomic<double> cost_spent_ = 0;
  std::atomic<std::uint64_t> tokens_spent_ = 0;
  std::map<std::string, Json> state_;
  std::size_t interrupted_ = 0;
  std::string background_notice_;     // of an earlier run, for the next turn
  std::optional<ToolCall> deferred_;  // as the model made it
  ContextGauge gauge_;
  std::size_t tools_bytes_ = 0;                           // of their definitions, in the last request
  std::uint64_t window_known_ = kContextWindowTokensMax;  // more than this the model has refused

  std::atomic<std::size_t> turn_ = 0;  // odd while there is one, also if only announced: whom an abort was meant for

  // What every turn has anew, as a whole.
  struct ThisTurn {
    TimePoint began = {};
    TurnEnd so_far = {};
    std::optional<Attempts> attempts = std::nullopt;
    std::size_t output_tokens_max = 0;
    std::size_t output_tokens_cap = kOutputTokensMax;  // more than this the model has refused
    std::vector<GivenPrompt> prompts = {};             // that came meanwhile, the first one too
    std::string granted_model = {};                    // that a skill has asked for
    std::size_t pauses = 0;                            // that the model made in a row
    std::size_t kept_in_a_row = 0;                     // messages that broke off
    std::size_t stop_continuations = 0;                // that hooks wanted
    std::size_t told_at_end = 0;  // how often the model was asked again because of what tell() brought
    std::optional<TimePoint> awaits_until = std::nullopt;  // those in the background
    std::size_t compactions_in_a_row = 0;
    bool is_just_compacted = false;  // no answer has come since
    bool compaction_failed = false;  // it is not tried again
    bool aborted = false;
    bool aborted_streaming = false;
  };

  // The turn under way. All of it belongs to the thread in run_turn().
  ThisTurn this_turn_;
  Phase phase_ = Phase::idle;
  bool is_ready_for_calls_ = false;  // what the first call would wait for is there
  bool timeline_is_due_ = false;     // it is written before long
  std::optional<TurnEnd> end_;
  std::unique_ptr<ModelCall> call_;
  std::size_t request_ = 0;  // number of the request under way: what comes late from another is left alone
  StreamedMessage message_;
  std::string message_uuid_;
  std::vector<CallAnswered> answers_;  // to the calls of the message
  BatchHooked batch_;                  // what hooks said to all of them
  AfterPrompts after_prompts_ = AfterPrompts::first_request;
  std::vector<std::string> told_;  // what tell() brought, and the model does not know yet
  std::size_t told_left_out_ = 0;  // because too much came
  bool ends_at_once_ = false;      // it was aborted when it was only announced
  bool resumes_deferred_ = false;  // the message under way is an earlier one, whose call was deferred
  std::stop_source expanding_;     // commands of prompts
  bool makes_room_ = false;        // it ends as soon as that can be; also if it was only announced
  bool retry_due_ = false;
  bool discard_kept_ = false;  // what the executor said to the last discard
  AfterCompaction after_compaction_ = AfterCompaction::nothing;
  CompactionDone compaction_shown_;                          // what is told of it
  std::optional<Result<CompactionDone>> compaction_answer_;  // to compact()
  TimePoint asked_{};
};

}  // namespace deft
