#include "deft/core/timeline_scale.h"

#include <algorithm>
#include <array>

namespace deft {
namespace {

constexpr std::int64_t kIdleUsMin = 2'000'000;  // shorter times are never cut out
constexpr double kIdleShareMin = 0.15;          // of the time in which something happened
constexpr double kCutWidth = 14;

// The times in which a request or a call was under way, one after another.
std::vector<TimelineSpan> active_spans(const Timeline& timeline) {
  std::vector<TimelineSpan> spans;
  for (const TimelineRequest& request : timeline.requests) spans.push_back(request.span);
  for (const TimelineCall& call : timeline.calls) spans.push_back(call.span);
  if (spans.empty()) spans.push_back(timeline.span());
  std::ranges::sort(spans, {}, &TimelineSpan::begin_us);
  std::vector<TimelineSpan> joined;
  for (const TimelineSpan& span : spans) {
    if (!joined.empty() && span.begin_us <= joined.back().end_us) {
      joined.back().end_us = std::max(joined.back().end_us, span.end_us);
    } else {
      joined.push_back(span);
    }
  }
  return joined;
}

}  // namespace

TimelineScale::TimelineScale(const Timeline& timeline, double width) {
  const std::vector<TimelineSpan> active = active_spans(timeline);
  std::int64_t busy_us = 0;
  for (const TimelineSpan& span : active) busy_us += span.length_us();
  const auto idle_us = std::max(kIdleUsMin, static_cast<std::int64_t>(static_cast<double>(busy_us) * kIdleShareMin));
  for (const TimelineSpan& span : active) {
    const bool follows = !pieces_.empty();
    const std::int64_t gap = follows ? span.begin_us - pieces_.back().span.end_us : 0;
    if (follows && gap <= idle_us) {
      pieces_.back().span.end_us = span.end_us;
      continue;
    }
    if (follows) pieces_.push_back({.span = {pieces_.back().span.end_us, span.begin_us}, .is_cut = true});
    pieces_.push_back({.span = span});
  }
  double cut_width = 0;
  for (const Piece& piece : pieces_) {
    if (piece.is_cut) cut_width += kCutWidth;
    if (!piece.is_cut) active_us_ += piece.span.length_us();
  }
  // However often somebody was away, half of the width is for what happened.
  const double cuts = std::min(cut_width, width / 2);
  const double per_cut = cut_width > 0 ? cuts / cut_width * kCutWidth : 0;
  const double per_us = active_us_ > 0 ? (width - cuts) / static_cast<double>(active_us_) : 0;
  double at = 0;
  for (Piece& piece : pieces_) {
    piece.from = at;
    at += piece.is_cut ? per_cut : per_us * static_cast<double>(piece.span.length_us());
    piece.to = at;
  }
}

double TimelineScale::at(std::int64_t us) const {
  if (pieces_.empty() || us <= pieces_.front().span.begin_us) return 0;
  for (const Piece& piece : pieces_) {
    if (us > piece.span.end_us) continue;
    const auto length = static_cast<double>(std::max<std::int64_t>(1, piece.span.length_us()));
    const double share = static_cast<double>(us - piece.span.begin_us) / length;
    return piece.from + (piece.to - piece.from) * std::clamp(share, 0.0, 1.0);
  }
  return pieces_.back().to;
}

std::vector<TimelineScale::Cut> TimelineScale::cuts() const {
  std::vector<Cut> found;
  for (const Piece& piece : pieces_) {
    if (piece.is_cut) found.push_back({piece.from, piece.to, piece.span.length_us()});
  }
  return found;
}

std::vector<TimelineScale::Tick> TimelineScale::ticks(std::size_t about) const {
  constexpr std::array<std::int64_t, 3> kSteps = {1, 2, 5};
  const std::int64_t wanted = std::max<std::int64_t>(1, active_us_ / static_cast<std::int64_t>(about));
  std::int64_t step = 100;  // microseconds
  for (std::int64_t power = 100; step < wanted; power *= 10) {
    for (const std::int64_t factor : kSteps) {
      step = power * factor;
      if (step >= wanted) break;
    }
  }
  std::vector<Tick> found;
  std::int64_t before = 0;  // active time up to the piece
  std::int64_t next = 0;
  for (const Piece& piece : pieces_) {
    if (piece.is_cut) continue;
    for (; next <= before + piece.span.length_us(); next += step) {
      found.push_back({at(piece.span.begin_us + next - before), time_in_words(next)});
    }
    before += piece.span.length_us();
  }
  return found;
}

}  // namespace deft
