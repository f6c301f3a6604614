#include "deft/core/timeline_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "deft/base/columns.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/core/timeline_rows.h"
#include "deft/core/timeline_scale.h"

namespace deft {
namespace {

// What stands beside the bars, in columns, where a line has room for so many.
struct Layout {
  std::size_t width_min;
  std::size_t label;
  std::size_t note;
};
constexpr std::array<Layout, 3> kLayouts = {{{100, 30, 22}, {62, 22, 16}, {0, 14, 8}}};
constexpr std::size_t kBarCharactersMin = 10;
constexpr std::array<std::string_view, 6> kLegend = {"~ model streams", "· waits for it", ". queued",
                                                     "? asks a person", "█ runs",         "x failed"};
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

constexpr std::size_t kLabelCharactersLookedAt = 500;

std::string padded(std::string_view words, std::size_t columns) {
  std::string out = cut_to_columns(one_line(words, kLabelCharactersLookedAt), columns);
  out.append(columns - count_columns(out), ' ');
  return out;
}

std::string legend(std::size_t width) {
  std::string out;
  std::size_t column = 0;
  for (const std::string_view entry : kLegend) {
    const std::size_t columns = count_columns(entry);
    if (column > 0) out += column + 2 + columns > width ? "\n" : "  ";
    column = column > 0 && column + 2 + columns <= width ? column + 2 + columns : columns;
    out += entry;
  }
  return out + "\n";
}

}  // namespace

std::string timeline_text(const Timeline& timeline, std::size_t width) {
  const Layout& layout = *std::ranges::find_if(kLayouts, [&](const Layout& one) { return width >= one.width_min; });
  const std::size_t label_width = layout.label;
  const std::size_t beside = label_width + layout.note + 4;
  const std::size_t bar = std::max(kBarCharactersMin, width > beside ? width - beside : 0);
  const bool has_long_notes = layout.width_min > 0;
  const TimelineScale scale(timeline, static_cast<double>(bar));
  std::string out;
  std::size_t lines = 0;
  const auto put = [&](std::string_view label, const Strip& strip, const std::string& note, std::size_t depth = 0) {
    if (++lines > kLinesMax) return;
    const std::size_t indent = std::min({2 * depth, kIndentMax, label_width / 2});
    out += std::string(indent, ' ') + padded(label, label_width - indent) + " |" + strip.text() + "| " + note + "\n";
  };
  if (!timeline.requests.empty()) {
    Strip strip(bar);
    for (const TimelineRequest& request : timeline.requests) {
      const std::int64_t answered = request.answered_us == 0 ? request.span.end_us : request.answered_us;
      strip.fill(scale.at(request.span.begin_us), scale.at(answered), request.has_failed ? U'x' : U'·');
      if (answered < request.span.end_us) strip.fill(scale.at(answered), scale.at(request.span.end_us), U'~');
    }
    const std::string count = std::to_string(timeline.requests.size());
    put("model", strip, has_long_notes ? count + (count == "1" ? " request" : " requests") : count);
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
    if (has_long_notes && !call.error.empty()) note += " " + call.error;
    if (has_long_notes && call.is_stored) note += " stored";
    if (call.is_unfinished()) note = call.error;  // nobody knows how long it took
    put(call.title.empty() ? call.tool : call.title, strip, note, row.depth);
  }
  if (lines > kLinesMax) out += "and " + std::to_string(lines - kLinesMax) + " more\n";
  out += std::string(label_width + 2, ' ') + "0" + std::string(bar > 12 ? bar - 12 : 1, ' ') +
         time_in_words(scale.active_us()) + "\n";
  return out + legend(width);
}

}  // namespace deft
