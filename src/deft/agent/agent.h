#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deft/agent/agent_hooks.h"
#include "deft/agent/attempts.h"
#include "deft/agent/engine.h"
#include "deft/agent/session.h"
#include "deft/agent/session_log.h"
#include "deft/agent/streamed_message.h"
#include "deft/agent/timeline_recorder.h"
#include "deft/agent/turn.h"
#include "deft/core/conversation.h"
#include "deft/model/model.h"

namespace deft {

inline constexpr std::size_t kOutputTokensDefault = 32'000;
inline constexpr std::size_t kOutputTokensMax = 128'000;
inline constexpr std::size_t kPausesMax = 20;              // of the provider's own tools, in a row
inline constexpr std::size_t kBrokenMessagesKeptMax = 10;  // in a row

struct TurnLimits {
  std::optional<std::size_t> requests_max = std::nullopt;  // answered in one turn
  std::optional<double> cost_max = std::nullopt;           // of the session, as `cost` says
  std::optional<std::uint64_t> tokens_max = std::nullopt;  // of the session, in and out
};

struct AgentOptions {
  EngineOptions engine;  // where it works, with which permissions, in which session folder
  std::string model;
  std::vector<std::string> fallback_models = {};  // in this order, when the model is overloaded
  std::string system = {};
  std::size_t output_tokens_max = kOutputTokensDefault;
  std::optional<Json> thinking = std::nullopt;
  std::string effort = {};
  std::optional<Json> output_format = std::nullopt;
  std::optional<Json> tool_choice = std::nullopt;
  std::string session_id = {};
  bool raw_events = false;  // RawEventArrived too
  TurnLimits limits = {};
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
  Result<void> add_tool(std::shared_ptr<Tool> tool) { return engine_->add_tool(std::move(tool)); }
  TurnEnd run_turn(const Prompt& prompt);
  AgentOptions& options() { return options_; }  // model, system and the like count from the next request on
  const History& history() const { return conversation_.messages(); }
  Engine& engine() { return *engine_; }
  const SessionUsage& usage() const { return usage_; }            // of the session, earlier runs included
  std::size_t interrupted_calls() const { return interrupted_; }  // of an earlier run, now answered as such
  // What the session's journal says last of it (Journal::state): "title", "mode", "todos" …; null: nothing.
  Json state(const std::string& key) const;
  void set_state(const std::string& key, Json value);
  // SessionStart and SessionEnd hooks; they are waited for. `source`: "startup", "resume", "clear", "compact", "fork";
  // `reason`: "clear", "logout", "prompt_input_exit", "other".
  SessionBegin begin_session(std::string_view source);
  void end_session(std::string_view reason);
  // For others who ask hooks on the turn's thread: compaction.
  AgentHooks& hooks() { return *hooks_; }
  HookScene hook_scene() const;

  // From any thread; without a turn they change nothing.
  void abort();  // Ctrl-C: the request is cancelled, calls are stopped, the turn ends
  void interrupt(
      Prompt prompt);  // a new message of the user: calls that can be interrupted stop; it follows the results
  void feed(Feed answer) { engine_->feed(std::move(answer)); }  // answers to questions, results of the host's tools

 private:
  enum class Phase : std::uint8_t {
    idle,
    asking,     // a request is under way
    waiting,    // for the time to make it again
    finishing,  // the message has ended, its calls have not all
    prompting,  // hooks are asked about what the user said
    stopping,   // hooks are asked whether the turn may end
  };

  Agent(AgentOptions options, ModelClient& model, Frontend& frontend);
  Executor& executor() { return engine_->executor(); }
  void show(Event event) override;  // of the engine
  bool wants_stages() const override { return frontend_.wants_stages(); }

  Result<void> resume(Session session);

  // The turn, in the order in which it happens.
  void begin_turn(const Prompt& prompt);
  void send_request();
  ModelRequest make_request();
  void take(ModelEvent event);
  void take_call(CallReady ready);
  void take_message(Message message);
  void take_failure(ModelFailed failed);
  void advance();
  void finish_message();
  void answer_calls();
  void go_on_without_calls();
  void end_turn(TurnReason reason, std::string explanation = {});

  void take_abort();
  void take_interrupt(Prompt prompt);
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
    HookOutcome said = {};
  };
  enum class AfterPrompts : std::uint8_t { first_request, next_request, last_word };
  bool is_subagent() const { return !options_.engine.agent_id.empty(); }
  void take_prompt(Prompt prompt);
  std::optional<HookMoment> moment_of(const Prompt& prompt);
  void await_prompts(AfterPrompts after);
  void go_on_with_prompts();
  std::optional<std::string> stop_after_calls() const;
  bool add_late_words();
  void consider_end();
  void take_stop_hooks(const HookOutcome& outcome);
  void add_user(const std::string& content);
  std::optional<TurnReason> reached_limit() const;

  AgentOptions options_;
  ModelClient& model_;
  const SystemClock system_clock_;
  TimelineRecorder timeline_;  // stands before the frontend
  Frontend& frontend_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<AgentHooks> hooks_;
  std::vector<std::string> context_;  // of hooks, for the next prompt
  std::size_t prompts_given_ = 0;
  bool has_started_ = false;  // a subagent: its hooks know
  Conversation conversation_;
  std::optional<SessionLog> log_;
  SessionUsage usage_;
  std::map<std::string, Json> state_;
  std::size_t interrupted_ = 0;

  // The turn under way. All of it belongs to the thread in run_turn().
  Phase phase_ = Phase::idle;
  std::optional<TurnEnd> end_;
  std::optional<Attempts> attempts_;
  std::unique_ptr<ModelCall> call_;
  std::size_t request_ = 0;  // number of the request under way: what comes late from another is left alone
  std::size_t output_tokens_max_ = 0;
  std::size_t output_tokens_cap_ = kOutputTokensMax;  // more than this the model has refused
  StreamedMessage message_;
  std::vector<CallAnswered> answers_;  // to the calls of the message
  BatchHooked batch_;                  // what hooks said to all of them
  std::vector<GivenPrompt> prompts_;   // that came meanwhile, the first one too
  AfterPrompts after_prompts_ = AfterPrompts::first_request;
  std::size_t stop_continuations_ = 0;
  bool aborted_ = false;
  bool aborted_streaming_ = false;
  bool retry_due_ = false;
  bool discard_kept_ = false;  // what the executor said to the last discard
  std::size_t pauses_ = 0;
  std::size_t kept_in_a_row_ = 0;
  TurnEnd so_far_;
  TimePoint began_{};
  TimePoint asked_{};
};

}  // namespace deft
