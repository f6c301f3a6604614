#include "deft/core/timeline_text.h"

#include <algorithm>
#include <cmath>

#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/core/timeline_rows.h"
#include "deft/core/timeline_scale.h"

namespace deft {
namespace {

constexpr std::size_t kLabelCharacters = 30;
constexpr std::size_t kNoteCharacters = 22;
constexpr std::size_t kNarrowWidth = 100;  // where both are shorter
constexpr std::size_t kNarrowLabelCharacters = 22;
constexpr std::size_t kNarrowNoteCharacters = 16;
constexpr std::size_t kBarCharactersMin = 20;
constexpr std::size_t kLinesMax = 200;
constexpr std::size_t kIndentMax = 10;

// One character for each moment.
class Strip {
 public:
  explicit Strip(std::size_t width) : cells_(width, U' ') {}
  void fill(double from, double to, char32_t with) {
    const auto first = std::min(static_cast<std::size_t>(from), cells_.size() - 1);
    const auto last = std::clamp(static_cast<std::size_t>(std::ceil(to)), first + 1, cells_.size());
    std::fill(cells_.begin() + static_cast<std::ptrdiff_t>(first), cells_.begin() + static_cast<std::ptrdiff_t>(last),
              with);
  }
  std::string text() const {
    std::string out;
    for (const char32_t cell : cells_) append_utf8(out, cell);
    return out;
  }

 private:
  std::u32string cells_;
};

std::string padded(std::string_view words, std::size_t characters) {
  std::string out = one_line(words, characters - 1);
  const std::size_t length = count_characters(out);
  return out + std::string(characters > length ? characters - length : 0, ' ');
}

}  // namespace

std::string timeline_text(const Timeline& timeline, std::size_t width) {
  const bool is_narrow = width < kNarrowWidth;
  const std::size_t label_width = is_narrow ? kNarrowLabelCharacters : kLabelCharacters;
  const std::size_t beside = label_width + (is_narrow ? kNarrowNoteCharacters : kNoteCharacters) + 4;
  const std::size_t bar = std::max(kBarCharactersMin, width > beside ? width - beside : 0);
  const TimelineScale scale(timeline, static_cast<double>(bar));
  std::string out;
  std::size_t lines = 0;
  const auto put = [&](std::string_view label, const Strip& strip, const std::string& note, std::size_t depth = 0) {
    if (++lines > kLinesMax) return;
    const std::size_t indent = std::min(2 * depth, kIndentMax);
    out += std::string(indent, ' ') + padded(label, label_width - indent) + " |" + strip.text() + "| " + note + "\n";
  };
  if (!timeline.requests.empty()) {
    Strip strip(bar);
    for (const TimelineRequest& request : timeline.requests) {
      const std::int64_t answered = request.answered_us == 0 ? request.span.end_us : request.answered_us;
      strip.fill(scale.at(request.span.begin_us), scale.at(answered), request.has_failed ? U'x' : U'·');
      if (answered < request.span.end_us) strip.fill(scale.at(answered), scale.at(request.span.end_us), U'~');
    }
    put("model", strip, std::to_string(timeline.requests.size()) + " requests");
  }
  for (const TimelineRow& row : timeline_rows(timeline)) {
    if (!row.call) continue;
    const TimelineCall& call = *row.call;
    Strip strip(bar);
    const std::int64_t started = call.started_us == 0 ? call.span.end_us : call.started_us;
    if (started > call.span.begin_us) strip.fill(scale.at(call.span.begin_us), scale.at(started), U'.');
    if (call.started_us != 0) {
      strip.fill(scale.at(started), scale.at(call.span.end_us), call.error.empty() ? U'█' : U'x');
    }
    for (const TimelineStage& stage : call.stages) {
      if (stage.name == "question") strip.fill(scale.at(stage.span.begin_us), scale.at(stage.span.end_us), U'?');
    }
    std::string note = time_in_words(call.started_us == 0 ? 0 : call.span.end_us - started);
    if (!call.error.empty()) note += " " + call.error;
    if (call.is_stored) note += " stored";
    put(call.title.empty() ? call.tool : call.title, strip, note, row.depth);
  }
  if (lines > kLinesMax) out += "and " + std::to_string(lines - kLinesMax) + " more\n";
  out += std::string(label_width + 2, ' ') + "0" + std::string(bar > 12 ? bar - 12 : 1, ' ') +
         time_in_words(scale.active_us()) + "\n";
  return out + "~ model streams  · waits for it  . queued  ? asks a person  █ runs  x failed\n";
}

}  // namespace deft
