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
constexpr std::size_t kStagesMost = 9;
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

}  // namespace

TimelineRecorder::TimelineRecorder(Frontend& next, const Clock& clock, Whose whose)
    : next_(next),
      clock_(clock),
      agent_id_(std::move(whose.agent_id)),
      within_(std::move(whose.within)),
      offset_us_(offset_of(clock)),
      mask_(std::move(whose.secrets)) {}

void TimelineRecorder::begin(const std::string& session_folder) {
  const std::scoped_lock lock(writing_, mutex_);
  const std::string path = session_folder + "/" + std::string(kTimelineFile);
  file_ = UniqueFd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat status{};
  if (!file_ || ::fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  bytes_ = static_cast<std::size_t>(status.st_size);
  is_open_ = true;
}

void TimelineRecorder::tell(TimelineSink& sink) {
  const std::lock_guard lock(mutex_);
  sink_ = &sink;
  is_open_ = true;
}

std::int64_t TimelineRecorder::now_us() const { return offset_us_ + in_us(clock_.now().time_since_epoch()); }

TimelineRecorder::~TimelineRecorder() { write_now(); }

// Masked before it is cut: the beginning of a secret does not look like one.
std::string TimelineRecorder::shown(std::string_view title) const {
  return std::string(
      first_characters(mask_.masked(first_characters(title, kMaskedCharactersMax)), kTitleCharactersMax));
}

template <class One>
void TimelineRecorder::keep(One ended) {
  if (sink_) {
    if constexpr (requires { ended.title; }) ended.title = shown(ended.title);
    sink_->ended(ended);
  }
  if (!file_) return;
  kept_.emplace_back(std::move(ended));
  // Between turns (a host's calls, see `deft exec`) nothing follows that could write it.
  if (!turn_ || kept_.size() >= kTimelineKeptMax) is_due_ = true;
}

std::string TimelineRecorder::lines_of(std::vector<Ended> all) {
  std::string lines;
  const auto line_of = [this](auto& one) {
    if constexpr (requires { one.title; }) one.title = shown(one.title);
    return timeline_line(one);
  };
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
  int file = -1;
  {
    const std::lock_guard lock(mutex_);
    is_due_ = false;
    ended = std::exchange(kept_, {});
    file = file_.get();
  }
  const std::string lines = lines_of(std::move(ended));
  if (lines.empty()) return;
  [[maybe_unused]] const ssize_t written = ::write(file, lines.data(), lines.size());
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
  const bool is_stage = std::holds_alternative<StageEnded>(event) || std::holds_alternative<CallAdmitted>(event) ||
                        std::holds_alternative<ProgressChanged>(event);
  if (is_stage && !next_.wants_stages()) return;  // only we did
  next_.show(std::move(event));
}

TimelineCall* TimelineRecorder::call(const std::string& id) {
  const auto found = calls_.find(id);
  if (found != calls_.end()) return &found->second;
  if (calls_.size() >= kTimelineOpenCallsMax) return nullptr;
  const std::int64_t now = now_us();
  TimelineCall begun{.id = id, .tool = {}, .agent = agent_id_, .within = within_, .span = {now, now}};
  return &calls_.emplace(id, std::move(begun)).first->second;
}

bool TimelineRecorder::note(const Event& event) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = now_us();
  std::visit(Overloaded{
                 [&](const CallAdmitted& admitted) {
                   TimelineCall* const its = call(admitted.call_id);
                   if (!its) return;
                   its->tool = admitted.tool;
                   its->title = admitted.title;
                 },
                 [&](const StageEnded& ended) {
                   TimelineCall* const its = call(ended.call_id);
                   if (!its) return;
                   const TimelineSpan span{now - in_us(ended.duration), now};
                   its->span.begin_us = std::min(its->span.begin_us, span.begin_us);
                   // The first that is on a worker.
                   if (ended.stage == "validation" && its->started_us == 0) its->started_us = span.begin_us;
                   if (its->stages.empty()) its->stages.reserve(kStagesMost);
                   its->stages.push_back({std::string(ended.stage), span, ended.outcome});
                 },
                 [&](const CallAnswered& answered) { end_call(answered, now); },
                 [&](const MessageDiscarded& discarded) {
                   if (!discarded.kept) calls_.clear();
                 },
                 [&](const TurnBegan&) { turn_ = TimelineTurn{.agent = agent_id_, .span = {now, now}}; },
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
                   if (request_ && ended.end.failure) request_->error_type = error_type_of(*ended.end.failure);
                   end_request(now, "ended", ended.end.failure.has_value());
                   if (!turn_) return;
                   turn_->span.end_us = now;
                   turn_->reason = to_string(ended.end.reason);
                   keep(*std::exchange(turn_, std::nullopt));
                 },
                 [](const auto&) {},
             },
             event);
  return is_due_;
}

void TimelineRecorder::end_call(const CallAnswered& answered, std::int64_t now) {
  TimelineCall* const its = call(answered.call_id);
  if (!its) return;
  its->tool = answered.tool;
  // Results leave in the order of the calls: it may have ended long before.
  its->span.end_us = now;
  if (its->started_us != 0 && answered.duration.count() > 0) {
    its->span.end_us = std::clamp(its->started_us + in_us(answered.duration), its->started_us, now);
  }
  for (const TimelineStage& stage : its->stages) its->span.end_us = std::max(its->span.end_us, stage.span.end_us);
  if (answered.result.is_error()) its->error = to_string(*answered.result.error);
  its->result_characters = count_characters(answered.result.text);
  its->is_stored = answered.result.stored && !answered.result.stored->path.empty();
  keep(std::move(*its));
  calls_.erase(answered.call_id);
}

void TimelineRecorder::end_request(std::int64_t now, std::string_view outcome, bool has_failed) {
  if (!request_) return;
  request_->span.end_us = now;
  request_->outcome = first_characters(outcome, kTitleCharactersMax);
  request_->has_failed = has_failed;
  keep(*std::exchange(request_, std::nullopt));
}

}  // namespace deft
