#pragma once

#include "deft/agent/executor.h"

// What the executor keeps of messages and calls. Only for its own files.

namespace deft {

// What a worker has. The call is shared with the record, which leaves it alone while the worker is at it; so a worker
// that never comes back holds nothing that anybody else needs.
struct Executor::Task {
  std::size_t message = 0;
  CallIndex index = 0;
  std::shared_ptr<const AdmittedCall> call;
  CallSetting setting;
  std::optional<Json> answer;
  bool is_prepared = false;  // also if it has waited since
  HookOutcome hooks = {};    // what they said before it
  StageTimes times = {};
};

struct Executor::CallRecord {
  std::string id;
  std::string tool;
  std::string title;
  std::shared_ptr<AdmittedCall> admitted;  // null: it could only fail
  std::optional<ToolResult> result;
  std::vector<Modifier> modifiers;
  std::stop_source stop;
  std::stop_source to_background;
  TimePoint started{};
  std::chrono::nanoseconds duration{};
  StageTimes times;
  enum class Place : std::uint8_t { queue, worker, question, timer, host, done } place = Place::queue;
  std::string question_id;
  Decision decision;                // that asks
  TimePoint asked{};                // when
  std::stop_source question_hooks;  // that are asked the same; stopped when it is settled
  bool question_hooks_run = false;
  std::shared_ptr<Judgement> judgement;  // of the classifier, if it may still settle it
  std::vector<std::string> proposal;     // what "always" would write
  std::optional<Asks> put_off;           // until the message has ended: to be decided later
  bool deferred = false;                 // to be decided later: it is not answered
  std::optional<Json> host_answer;
  bool wait_is_over = false;
  bool ran = false;
  bool only_read = false;
  bool wait_obeys_stop = false;

  // Told to stop, it ends soon by itself; else the call is answered for at once.
  bool obeys_stop() const { return place == Place::worker || (place == Place::timer && wait_obeys_stop); }
};

struct Executor::ActiveMessage {
  ActiveMessage(std::size_t its_number, Slots& slots, CancelScope& turn, const ExecutorOptions& options)
      : number(its_number),
        run(slots, turn, {.sibling_cancellation = options.sibling_cancellation, .in_order = options.in_order}) {}
  std::size_t number;
  std::shared_ptr<const ToolPool> pool;
  MessageRun run;
  std::deque<CallRecord> calls;
  std::vector<ToolCall> collected;  // not streaming: waiting for the end of the message
  std::vector<CallIndex> put_off;   // calls to be decided later; waiting for it too
  bool ended = false;
  JsonArray answered;  // for PostToolBatch hooks, if there are any
  enum class BatchHooks : std::uint8_t { not_asked, asked, spoke } batch_hooks = BatchHooks::not_asked;
  std::stop_source batch_stop;
  std::vector<std::string> started, stopped;  // since progress was published last
};

}  // namespace deft
