#include <chrono>
#include <memory>
#include <tuple>
#include <utility>

#include "deft/agent/agent.h"
#include "deft/os/uuid.h"

// A request to the model: what goes with it, and what is done while the model thinks.

namespace deft {
namespace {

constexpr std::chrono::milliseconds kTimelinePatience{20};  // how long after a request the lines so far are written
constexpr std::size_t kMemoryTouchedAhead = std::size_t{256}
                                            << 10;  // for what the first calls give, and the next request
constexpr std::size_t kPageBytes = 4096;

// Memory that was never used costs a stop for every page of it. What is let go of here is what is taken next.
void touch_memory(std::size_t bytes) {
  const auto memory = std::make_unique_for_overwrite<volatile char[]>(bytes);
  for (std::size_t at = 0; at < bytes; at += kPageBytes) memory[at] = 0;
}

}  // namespace

void Agent::send_request() {
  if (makes_room_) return end_turn(TurnReason::aborted_streaming);
  if (const auto limit = reached_limit()) return end_turn(*limit);
  add_late_words();
  add_news();
  add_reminders();
  if (should_compact()) return compact_before_request();
  const auto pool = executor().pool();
  announce_tools(*pool);
  announce_plan_mode();
  follow_grants();
  batch_ = {};
  message_ = {};
  answers_.clear();
  phase_ = Phase::asking;
  asked_ = engine_->clock().now();
  ModelRequest request = make_request(pool);
  request.pumped_by_caller = true;  // by run_turn()
  message_uuid_ = random_uuid();
  frontend_.show(RequestSent{request.model, this_turn_.attempts->failures() + 1, request.stream, message_uuid_});
  call_ = model_.ask(request, [this, number = ++request_](ModelEvent event) {
    executor().post([this, number, happened = std::move(event)]() mutable {
      if (number == request_) take(std::move(happened));
    });
  });
  get_ready_for_calls(pool);
  write_timeline_soon();
}

// Not now: who is answered at once has better things to do.
void Agent::write_timeline_soon() {
  if (std::exchange(timeline_is_due_, true)) return;
  executor().post_at(engine_->clock().now() + kTimelinePatience, [this] {
    timeline_is_due_ = false;
    timeline_.write_soon(engine_->runner());
  });
}

// While hooks speak and the model thinks.
void Agent::get_ready_for_calls(const std::shared_ptr<const ToolPool>& pool) {
  const bool is_ready = std::exchange(is_ready_for_calls_, true);
  if (is_ready || pool->advertised().empty() || options_.engine.workshop) return engine_->runner().warm_up();
  engine_->runner().start([workshop = &engine_->workshop(), pool] {
    workshop->prepare_commands();
    for (const RegisteredTool& entry : pool->advertised()) {
      if (entry.tool->spec().may_be_brief) std::ignore = entry.form->input_schema();
    }
  });
  touch_memory(kMemoryTouchedAhead);
}

ModelRequest Agent::make_request(const std::shared_ptr<const ToolPool>& pool) {
  const SharedText& tools = executor().definitions(pool);
  tools_bytes_ = tools.size();
  return {.model = this_turn_.attempts->model(),
          .output_tokens_max = this_turn_.output_tokens_max,
          .system = options_.system,
          .tools = tools,
          .history = conversation_.snapshot(),
          .stream = this_turn_.attempts->streams(),
          .tool_choice = options_.tool_choice,
          .thinking = options_.thinking,
          .effort = effort(),
          .output_format = options_.output_format,
          .session_id = options_.session_id,
          .raw_events = options_.raw_events};
}

std::optional<TurnReason> Agent::reached_limit() const {
  const TurnLimits& limits = options_.limits;
  if (limits.requests_max && this_turn_.so_far.requests >= *limits.requests_max) return TurnReason::max_turns;
  if (limits.cost_max && spent().cost >= *limits.cost_max) return TurnReason::budget_exhausted;
  if (limits.tokens_max && spent().tokens >= *limits.tokens_max) return TurnReason::budget_exhausted;
  return std::nullopt;
}

}  // namespace deft
