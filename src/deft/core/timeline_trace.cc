#include "deft/core/timeline_trace.h"

#include <map>
#include <utility>

namespace deft {
namespace {

constexpr std::int64_t kTurnRow = 1;
constexpr std::int64_t kModelRow = 2;
constexpr std::int64_t kFirstCallRow = 10;

class TraceWriter {
 public:
  explicit TraceWriter(const Timeline& timeline) : timeline_(timeline), start_(timeline.span().begin_us) {}

  std::string write() {
    for (const TimelineTurn& turn : timeline_.turns) {
      add("turn", "turn", turn.span, process_of(turn.agent), kTurnRow, {{"reason", turn.reason}});
    }
    for (const TimelineRequest& request : timeline_.requests) add_request(request);
    add_calls();
    JsonObject whole{{"traceEvents", std::move(events_)}, {"displayTimeUnit", "ms"}};
    if (!timeline_.session.empty()) whole["otherData"] = JsonObject{{"session", timeline_.session}};
    return to_json(whole);
  }

 private:
  void add(std::string_view name, std::string_view category, const TimelineSpan& span, std::int64_t process,
           std::int64_t row, JsonObject arguments) {
    events_.push_back(JsonObject{{"name", name},
                                 {"cat", category},
                                 {"ph", "X"},
                                 {"ts", span.begin_us - start_},
                                 {"dur", span.length_us()},
                                 {"pid", process},
                                 {"tid", row},
                                 {"args", std::move(arguments)}});
  }

  void name_row(std::string_view what, std::int64_t process, std::int64_t row, std::string_view name) {
    events_.push_back(
        JsonObject{{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", row}, {"args", JsonObject{{"name", name}}}});
  }

  std::int64_t process_of(const std::string& agent) {
    const auto [found, is_new] = processes_.emplace(agent, static_cast<std::int64_t>(processes_.size()) + 1);
    if (is_new) {
      name_row("process_name", found->second, 0, agent.empty() ? "agent" : "subagent " + agent);
      name_row("thread_name", found->second, kTurnRow, "turns");
      name_row("thread_name", found->second, kModelRow, "model");
    }
    return found->second;
  }

  void add_request(const TimelineRequest& request) {
    const std::int64_t process = process_of(request.agent);
    add(request.model, "model", request.span, process, kModelRow,
        {{"attempt", request.attempt},
         {"outcome", request.outcome},
         {"input_tokens", request.input_tokens},
         {"output_tokens", request.output_tokens}});
    if (request.answered_us == 0) return;
    add("waiting", "model", {request.span.begin_us, request.answered_us}, process, kModelRow, {});
    add("streaming", "model", {request.answered_us, request.span.end_us}, process, kModelRow, {});
  }

  void add_calls() {
    std::map<std::string, std::vector<const TimelineCall*>> by_agent;
    for (const TimelineCall& call : timeline_.calls) by_agent[call.agent].push_back(&call);
    for (const auto& [agent, calls] : by_agent) {
      const std::int64_t process = process_of(agent);
      std::vector<TimelineSpan> spans;
      for (const TimelineCall* call : calls) spans.push_back(call->span);
      const auto rows = rows_of(spans);
      std::int64_t named = 0;
      for (std::size_t i = 0; i < calls.size(); ++i) {
        const std::int64_t row = kFirstCallRow + static_cast<std::int64_t>(rows[i]);
        if (row - kFirstCallRow == named) {
          name_row("thread_name", process, row, "calls " + std::to_string(++named));
        }
        add_call(*calls[i], process, row);
      }
    }
  }

  void add_call(const TimelineCall& call, std::int64_t process, std::int64_t row) {
    add(call.title.empty() ? call.tool : call.title, "call", call.span, process, row,
        {{"id", call.id},
         {"tool", call.tool},
         {"outcome", call.error.empty() ? "done" : call.error},
         {"characters", call.result_characters}});
    if (call.started_us != 0 && call.waited_us() > 0) {
      add("queued", "wait", {call.span.begin_us, call.started_us}, process, row, {});
    }
    for (const TimelineStage& stage : call.stages) {
      add(stage.name, "stage", stage.span, process, row, {{"outcome", stage.outcome}});
    }
  }

  const Timeline& timeline_;
  const std::int64_t start_;
  JsonArray events_;
  std::map<std::string, std::int64_t> processes_;
};

}  // namespace

std::string trace_json(const Timeline& timeline) { return TraceWriter(timeline).write(); }

}  // namespace deft
