#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "deft/agent/event.h"
#include "deft/agent/hook_services.h"
#include "deft/base/clock.h"
#include "deft/ui/line_writer.h"
#include "deft/ui/turn_report.h"

namespace deft {

enum class OutputFormat : std::uint8_t { text, json, stream_json };

struct HeadlessOutputOptions {
  OutputFormat format = OutputFormat::text;
  bool verbose = false;           // json: all messages, not only the result
  bool partial_messages = false;  // stream_json: what the model streams, as it streams
  bool hook_events = false;       // stream_json: every hook that runs
  bool session_states = false;    // stream_json: whether a turn is under way, or waits for somebody
  bool subagent_texts = false;    // what subagents say and think, beside their calls
  bool to_terminal = false;       // text: whoever reads it is a terminal, which a model shall not command
};

// What a run without a terminal prints: the last word of the model, one JSON object, or a line of JSON for everything
// that happens. What is for people goes to standard error, except in stream_json, which has lines for it.
class HeadlessOutput final : public Frontend {
 public:
  // `errors`: standard error. Neither of them stalls anybody.
  HeadlessOutput(LineWriter& writer, LineWriter& errors, HeadlessOutputOptions options)
      : writer_(writer), errors_(errors), options_(options) {}

  void show(Event event) override;
  bool wants_hooks() const override { return options_.hook_events; }

  // Who else wants to hear of everything; outlives us. Before the first event.
  void also_tell(Frontend& other) { others_.push_back(&other); }
  void use_session(std::string id);
  void tell_subagent_texts();  // from now on
  // A line of its own: {"type":…}. "uuid" and "session_id" are added.
  void put(JsonObject line);
  void put_raw(std::string line);  // as it is
  void notice(std::string_view text, std::string_view level = "info");
  void begin_turn();
  void end_turn(const TurnEnd& end, ReportedSession session);

  // headless_output_states.cc: what goes on beside the messages. From any thread.
  void show_hook(const HookLife& life);
  void show_tasks();  // all that are in the background
  // A session is idle, or has a turn; whoever is asked a question is waited for until it is settled.
  void begin_work();
  void rest();
  void begin_question();
  void end_question();

  void startup_failed(const std::string& why);  // instead of all turns
  struct Durations {
    Duration of_turns{};
    Duration of_models{};
  };
  Durations durations();  // of all turns so far
  JsonObject model_usage(const ReportedSession& session);
  // Everything is said.
  void finish();
  // The same for a run that was told to end: a reader that has stopped is waited for no longer than this. False: it has
  // not taken everything, and the process must leave with _exit.
  bool finish_within(Duration at_most);

 private:
  // Whose lines they are: the main agent's, or those of a subagent.
  struct Speaker {
    std::string parent_call_id = {};  // empty: the main agent
    std::string agent_id = {};
    std::string message_id = {};  // ours, until the provider has named it
    std::string model = {};
    std::string request_id = {};
    std::vector<std::string> lines = {};       // uuids of those of the message under way
    std::vector<std::string> superseded = {};  // of a message that was discarded: the next line takes their place
    // What its lines are named after (agent/journal_branch.h); empty: the message began before we listened.
    std::string uuid = {};
    std::uint16_t blocks = 0;
    std::uint16_t calls = 0;
  };
  void begin_message(const RequestSent& sent, Speaker& speaker);
  void note_message(const Event& event, Speaker& speaker);
  bool is_told(const Block& block, const Speaker& speaker) const;
  void put_block(const BlockCompleted& completed, Speaker& speaker);
  void put_failure(const TurnEnd& end, Speaker& speaker);
  void put_assistant(const std::string& uuid, const std::string& members, Speaker& speaker);
  std::string uuid_of_block(const Block& block, Speaker& speaker);
  std::string uuid_of_result(const std::string& call_id);
  void put_result(const CallAnswered& answered, Speaker& speaker);
  void put_after_results(const std::string& content);
  void put_abort_notice();
  void put_event_of(const SubagentEvent& happened);
  void put_task(const TaskBegan& begun);
  void put_task(const TaskEnded& ended);
  void put_system(std::string_view subtype, JsonObject line);  // under mutex_
  void put_tasks();                                            // under mutex_
  void put_state();                                            // under mutex_
  static std::string parent_member(const Speaker& speaker);
  void put_kept_lines();
  void put_text(std::string_view text);
  void put_line(std::string line);
  std::int64_t seconds_since_call(const std::string& call_id) const;
  std::string head(std::string_view type) const;  // {"type":…,"uuid":…,"session_id":…
  std::string head(std::string_view type, std::string_view uuid) const;
  bool streams() const { return options_.format == OutputFormat::stream_json; }
  bool keeps_lines() const { return options_.format == OutputFormat::json && options_.verbose; }
  bool wants_lines() const { return streams() || keeps_lines(); }

  LineWriter& writer_;
  LineWriter& errors_;
  const SystemClock clock_;
  const HeadlessOutputOptions options_;
  std::vector<Frontend*> others_;
  std::mutex mutex_;
  // Under mutex_:
  TurnReport report_;
  bool tells_subagent_texts_ = options_.subagent_texts;
  Durations durations_;
  std::size_t results_told_ = 0;
  std::string session_id_;
  Speaker main_;
  std::unordered_map<std::string, Speaker> subagents_;     // that are at work, by id
  std::unordered_map<std::string, TimePoint> calls_made_;  // of this turn
  std::unordered_map<std::string, std::string> results_;   // that are still to come: their uuids, by call
  std::vector<std::string> lines_;                         // json: until the end
  std::vector<TaskBegan> tasks_;                           // that have not ended, as they began
  bool works_ = false;
  std::size_t questions_ = 0;  // that are open
  std::string_view state_ = "idle";
  bool is_finished_ = false;  // nothing is said any more
};

}  // namespace deft
