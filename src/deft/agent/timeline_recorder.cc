#include "deft/agent/timeline_recorder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "deft/base/overloaded.h"
#include "deft/base/utf8.h"
#include "deft/core/token_use.h"

namespace deft {
namespace {

constexpr std::size_t kTitleCharactersMax = 200;
constexpr std::size_t kMaskedCharactersMax = 4'000;  // of a title that are looked at

std::int64_t in_us(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

std::int64_t offset_of(const Clock& clock) {
  return in_us(clock.wall_time().time_since_epoch()) - in_us(clock.now().time_since_epoch());
}

// Few different words: the API's own, else the status, else what kind of failure it was.
std::string error_type_of(const ModelFailure& failure) {
  if (!failure.type.empty()) return std::string(first_characters(failure.type, kTitleCharactersMax));
  if (failure.kind == ModelFailure::Kind::status) return std::to_string(failure.status);
  switch (failure.kind) {
    case ModelFailure::Kind::connection: return "connection";
    case ModelFailure::Kind::certificate: return "certificate";
    case ModelFailure::Kind::stream_broken: return "stream_broken";
    case ModelFailure::Kind::not_understood: return "not_understood";
    case ModelFailure::Kind::unusable: return "unusable";
    case ModelFailure::Kind::status: break;
  }
  return "_OTHER";
}

// What was asked for was not done, and nobody wanted that: a person who interrupts does, and so does a hook.
bool is_failure(TurnReason reason) {
  switch (reason) {
    case TurnReason::completed:
    case TurnReason::aborted_streaming:
    case TurnReason::aborted_tools:
    case TurnReason::hook_stopped:
    case TurnReason::prompt_blocked:
    case TurnReason::tool_deferred: return false;
    case TurnReason::max_turns:
    case TurnReason::budget_exhausted:
    case TurnReason::refusal:
    case TurnReason::prompt_too_long:
    case TurnReason::model_error:
    case TurnReason::structured_output_failed:
    case TurnReason::tool_deferred_unavailable: return true;
  }
  return true;
}

}  // namespace

TimelineRecorder::TimelineRecorder(Frontend& next, const Clock& clock, Whose whose)
    : next_(next),
      clock_(clock),
      agent_id_(std::move(whose.agent_id)),
      agent_type_(std::move(whose.agent_type)),
      within_(std::move(whose.within)),
      offset_us_(offset_of(clock)),
      mask_(std::move(whose.secrets)) {}

void TimelineRecorder::begin(const std::string& session_folder) {
  const std::scoped_lock lock(writing_, mutex_);
  path_ = session_folder + "/" + std::string(kTimelineFile);
  has_file_ = true;
  is_open_ = true;
}

// Not before there is something to write: a start has more urgent things to ask of the disk.
bool TimelineRecorder::open_file() {
  if (file_) return true;
  file_ = UniqueFd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  struct stat status{};
  if (!file_ || ::fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    file_.reset();
    return false;
  }
  bytes_ = static_cast<std::size_t>(status.st_size);
  return true;
}

void TimelineRecorder::tell(TimelineSink& sink) {
  const std::lock_guard lock(mutex_);
  sink_ = &sink;
  is_open_ = true;
}

std::int64_t TimelineRecorder::at_us(TimePoint time) const { return offset_us_ + in_us(time.time_since_epoch()); }

TimelineRecorder::~TimelineRecorder() { write_now(); }

// Masked before it is cut: the beginning of a secret does not look like one.
std::string TimelineRecorder::shown(std::string_view title) const {
  return std::string(
      first_characters(mask_.masked(first_characters(title, kMaskedCharactersMax)), kTitleCharactersMax));
}

template <class One>
void TimelineRecorder::keep(One ended) {
  if (sink_) sink_->ended(finished(ended));
  if (!has_file_) return;
  kept_.emplace_back(std::move(ended));
  // Between turns (a host's calls, see `deft exec`) nothing follows that could write it.
  if (!turn_ || kept_.size() >= kTimelineKeptMax) is_due_ = true;
}

// What need not be done while somebody waits.
TimelineCall TimelineRecorder::finished(TimedCall timed) const {
  TimelineCall& call = timed.call;
  call.title = shown(call.title);
  call.stages.reserve(timed.times.size());
  for (const StageTime& time : timed.times) {
    call.stages.push_back({std::string(time.stage), {at_us(time.begin), at_us(time.end)}, std::string(time.outcome)});
  }
  return std::move(call);
}

std::string TimelineRecorder::lines_of(std::vector<Ended> all) {
  std::string lines;
  const auto line_of = [this](auto& one) { return timeline_line(this->finished(std::move(one))); };
  for (Ended& ended : all) {
    const std::string line = std::visit(line_of, ended);
    bytes_ += line.size() + 1;
    if (bytes_ <= kTimelineFileBytesMax && line.size() <= kTimelineLineBytesMax) lines.append(line).append("\n");
  }
  return lines;
}

void TimelineRecorder::write_now() {
  const std::lock_guard writing(writing_);  // lines stay in the order of what has ended
  std::vector<Ended> ended;
  {
    const std::lock_guard lock(mutex_);
    is_due_ = false;
    ended = std::exchange(kept_, {});
  }
  if (ended.empty() || !open_file()) return;
  const std::string lines = lines_of(std::move(ended));
  if (lines.empty()) return;
  [[maybe_unused]] const ssize_t written = ::write(file_.get(), lines.data(), lines.size());
}

void TimelineRecorder::write_soon(CallRunner& runner) {
  std::size_t kept = 0;
  {
    const std::lock_guard lock(mutex_);
    kept = kept_.size();
  }
  if (kept <= kTimelineWrittenAloneMax) return write_now();
  runner.start_quick([this] { write_now(); });
}

void TimelineRecorder::show(Event event) {
  if (is_open_ && note(event)) write_now();
  next_.show(std::move(event));
}

bool TimelineRecorder::note(const Event& event) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = at_us(clock_.now());
  std::visit(Overloaded{
                 [&](const CallAnswered& answered) { keep(timed(answered, now)); },
                 [&](const TurnBegan&) { turn_ = begun_turn(now); },
                 [&](const RequestSent& sent) {
                   end_request(now, "sent again", /*has_failed=*/true);
                   request_ = TimelineRequest{.model = sent.model,
                                              .agent = agent_id_,
                                              .within = within_,
                                              .span = {now, now},
                                              .attempt = sent.attempt};
                 },
                 [&](const MessageBegan&) {
                   if (request_) request_->answered_us = now;
                 },
                 [&](const MessageCompleted& completed) {
                   if (!request_) return;
                   const TokenUse use = token_use(completed.message.usage);
                   request_->input_tokens = use.prompt();
                   request_->output_tokens = use.output;
                   request_->cache_read_tokens = use.cache_read;
                   request_->cache_write_tokens = use.cache_write;
                   request_->response_id = completed.message.id;
                   request_->response_model = completed.message.model;
                   const bool is_whole = completed.how == MessageCompleted::How::whole;
                   end_request(now, is_whole ? completed.message.stop_reason : "cut off", !is_whole);
                 },
                 [&](const RetryScheduled& scheduled) {
                   if (request_) request_->error_type = error_type_of(scheduled.failure);
                   end_request(now, mask_.masked(scheduled.failure.message), /*has_failed=*/true);
                 },
                 [&](const TurnEnded& ended) {
                   const auto& failure = ended.end.failure;
                   if (request_ && failure) request_->error_type = error_type_of(*failure);
                   end_request(now, failure ? mask_.masked(failure->message) : "ended", failure.has_value());
                   if (!turn_) return;
                   turn_->span.end_us = now;
                   turn_->reason = to_string(ended.end.reason);
                   turn_->has_failed = is_failure(ended.end.reason);
                   keep(*std::exchange(turn_, std::nullopt));
                 },
                 [](const auto&) {},
             },
             event);
  return is_due_;
}

TimelineTurn TimelineRecorder::begun_turn(std::int64_t now) const {
  return {.agent = agent_id_, .span = {now, now}, .agent_type = agent_type_, .within = within_};
}

TimelineRecorder::TimedCall TimelineRecorder::timed(const CallAnswered& answered, std::int64_t now) const {
  TimelineCall call{.id = answered.call_id,
                    .tool = answered.tool,
                    .title = answered.title,
                    .agent = agent_id_,
                    .within = within_,
                    .span = {now, now}};
  TimePoint last{};
  for (const StageTime& time : answered.stages) {
    call.span.begin_us = std::min(call.span.begin_us, at_us(time.begin));
    // The first that is on a worker.
    if (time.stage == "validation" && call.started_us == 0) call.started_us = at_us(time.begin);
    last = std::max(last, time.end);
  }
  // Results leave in the order of the calls: it may have ended long before.
  if (call.started_us != 0 && answered.duration.count() > 0) {
    call.span.end_us = std::clamp(call.started_us + in_us(answered.duration), call.started_us, now);
  }
  if (!answered.stages.empty()) call.span.end_us = std::max(call.span.end_us, at_us(last));
  if (answered.result.is_error()) call.error = to_string(*answered.result.error);
  call.result_characters = count_characters(answered.result.text);
  call.is_stored = answered.result.stored && !answered.result.stored->path.empty();
  return {std::move(call), answered.stages};
}

void TimelineRecorder::end_request(std::int64_t now, std::string_view outcome, bool has_failed) {
  if (!request_) return;
  request_->span.end_us = now;
  request_->outcome = first_characters(outcome, kTitleCharactersMax);
  request_->has_failed = has_failed;
  keep(*std::exchange(request_, std::nullopt));
}

}  // namespace deft
