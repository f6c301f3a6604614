#include "deft/core/line_throttle.h"

#include <algorithm>
#include <utility>

#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kUnfinishedBytesMax = std::size_t{16} << 10;  // a longer line is cut

}  // namespace

void LineThrottle::add(std::string_view bytes, TimePoint now) {
  cleaner_.feed(bytes, unfinished_);
  std::size_t done = 0;
  for (std::size_t end = unfinished_.find('\n'); end != std::string::npos; end = unfinished_.find('\n', done)) {
    add_line(std::string_view(unfinished_).substr(done, end - done), now);
    done = end + 1;
  }
  unfinished_.erase(0, done);
  if (unfinished_.size() > kUnfinishedBytesMax) unfinished_.resize(kUnfinishedBytesMax);
}

void LineThrottle::add_line(std::string_view line, TimePoint now) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  lines_.push_back(one_line(to_valid_utf8(line), kEventLineCharactersMax));
  if (!first_) first_ = now;
  if (lines_.size() > kEventLinesMax) {
    lines_.pop_front();
    ++left_out_;
  }
}

std::optional<TimePoint> LineThrottle::ready_at() const {
  if (!first_) return std::nullopt;
  const TimePoint gathered = *first_ + kEventGather;
  return last_event_ ? std::max(gathered, *last_event_ + interval_) : gathered;
}

std::optional<LineThrottle::Batch> LineThrottle::take(TimePoint now) {
  const auto ready = ready_at();
  if (!ready || now < *ready) return std::nullopt;
  // It was quiet for long enough, or it goes on and on.
  const bool was_quiet = !last_event_ || *first_ >= *last_event_ + 2 * interval_;
  interval_ = was_quiet ? kEventGather : std::min(2 * interval_, kEventIntervalMax);
  last_event_ = now;
  return take_all();
}

std::optional<LineThrottle::Batch> LineThrottle::finish() {
  unfinished_ += cleaner_.pending();
  cleaner_ = {};
  if (!unfinished_.empty()) add_line(std::exchange(unfinished_, {}), last_event_.value_or(TimePoint{}));
  if (lines_.empty()) return std::nullopt;
  return take_all();
}

LineThrottle::Batch LineThrottle::take_all() {
  Batch batch{.lines = {std::make_move_iterator(lines_.begin()), std::make_move_iterator(lines_.end())},
              .left_out = std::exchange(left_out_, 0)};
  lines_.clear();
  first_.reset();
  return batch;
}

}  // namespace deft
