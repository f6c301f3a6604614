#include "deft/core/timeline_svg.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <vector>

#include "deft/base/columns.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/base/utf8_decode.h"
#include "deft/core/timeline_rows.h"
#include "deft/core/timeline_scale.h"

namespace deft {
namespace {

constexpr double kWidth = 1200;
constexpr double kLabelWidth = 300;
constexpr double kMargin = 16;
constexpr double kRowHeight = 22;
constexpr double kBarHeight = 14;
constexpr double kBarWidthMin = 2.5;
constexpr double kMarkWidth = 0.8;
constexpr double kHeadHeight = 78;
constexpr double kLabelGap = 6;  // between labels and bars
constexpr std::size_t kLabelColumnsMax = 42;
constexpr std::size_t kTitleCharactersMax = 500;
constexpr double kCharacterWidth = 6.4;  // of most fonts, more or less
constexpr double kNoteGap = 6;
constexpr double kIndent = 14;
constexpr std::size_t kIndentsMax = 6;
constexpr std::size_t kDrawnBarsMax = 20'000;
constexpr std::size_t kTicks = 8;
constexpr char32_t kReplacement = 0xFFFD;

constexpr std::string_view kStyle =
    "text{font:12px ui-sans-serif,system-ui,sans-serif;fill:#24292f}"
    ".title{font-size:16px;font-weight:600}.dim{fill:#656d76}.back{fill:#fff}.line{stroke:#d0d7de;stroke-width:1}"
    ".cut{fill:#f6f8fa;stroke:#d0d7de;stroke-dasharray:2 2}.queued{fill:#d8dee4}.span{fill:#aceebb}"
    ".check{fill:#8c959f}.hooks{fill:#a475f9}.question{fill:#eac54f}.run{fill:#2da44e}.failed{fill:#cf222e}"
    ".ask{fill:#c8e1ff}.stream{fill:#0969da}.turn{fill:#eaeef2}"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#8d96a0}.back{fill:#0d1117}.line{stroke:#30363d}"
    ".cut{fill:#161b22;stroke:#30363d}.queued{fill:#30363d}.span{fill:#1b5e31}.check{fill:#6e7681}.ask{fill:#0c2d6b}"
    ".stream{fill:#58a6ff}.turn{fill:#21262d}}";

// Hides or reorders text, or is not allowed in XML.
bool is_harmful(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
}

std::string escaped(std::string_view text) {
  std::string out;
  const std::string valid = to_valid_utf8(text);
  const auto* at = reinterpret_cast<const unsigned char*>(valid.data());
  const unsigned char* const end = at + valid.size();
  while (at < end) {
    const Decoded character = decode_forward(at, end);
    at += character.length;
    if (is_harmful(character.point)) {
      append_utf8(out, kReplacement);
      continue;
    }
    switch (character.point) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: append_utf8(out, character.point); break;
    }
  }
  return out;
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string_view class_of(const TimelineStage& stage, bool has_failed) {
  if (stage.name == "call") return has_failed ? "failed" : "run";
  if (stage.name == "question") return "question";
  if (stage.name == "pre_hooks" || stage.name == "post_hooks") return "hooks";
  return "check";
}

class Picture {
 public:
  explicit Picture(const Timeline& timeline)
      : timeline_(timeline), scale_(timeline, kWidth - kLabelWidth - 2 * kMargin) {}

  std::string draw() {
    draw_rows();
    const double height = kHeadHeight + static_cast<double>(rows_) * kRowHeight + kMargin;
    // A label of wide letters ends where the bars begin.
    const std::string clip = "<clipPath id=\"labels\"><rect width=\"" + number(left() - kLabelGap) + "\" height=\"" +
                             number(height) + "\"/></clipPath>";
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(kWidth) + " " +
                      number(height) + "\" width=\"" + number(kWidth) + "\" height=\"" + number(height) +
                      "\" role=\"img\"><title>" + escaped(heading()) + "</title><style>" + std::string(kStyle) +
                      "</style>" + clip + "\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n";
    out += text(kMargin, 24, "title", heading());
    out += legend();
    for (const auto& tick : scale_.ticks(kTicks)) {
      const double x = left() + tick.at;
      out += "<line class=\"line\" x1=\"" + number(x) + "\" x2=\"" + number(x) + "\" y1=\"" + number(kHeadHeight - 6) +
             "\" y2=\"" + number(height - kMargin) + "\"/>";
      if (x + 3 + width_of(tick.label) <= kWidth) out += text(x + 3, kHeadHeight - 10, "dim", tick.label);
      out += "\n";
    }
    for (const auto& cut : scale_.cuts()) {
      out += "<rect class=\"cut\" x=\"" + number(left() + cut.from) + "\" y=\"" + number(kHeadHeight - 6) +
             "\" width=\"" + number(cut.to - cut.from) + "\" height=\"" + number(height - kMargin - kHeadHeight + 6) +
             "\"><title>" + escaped("nothing for " + time_in_words(cut.length_us)) + "</title></rect>\n";
    }
    return out + body_ + "</svg>\n";
  }

 private:
  static double left() { return kMargin + kLabelWidth; }

  std::string heading() const {
    std::string out = std::to_string(timeline_.calls.size()) + (timeline_.calls.size() == 1 ? " call" : " calls");
    if (!timeline_.requests.empty()) {
      out += ", " + std::to_string(timeline_.requests.size()) +
             (timeline_.requests.size() == 1 ? " request to the model" : " requests to the model");
    }
    return out + " in " + time_in_words(scale_.active_us());
  }

  static double width_of(std::string_view words) { return kCharacterWidth * static_cast<double>(count_columns(words)); }

  static std::string text(double x, double y, std::string_view type, std::string_view words) {
    return "<text class=\"" + std::string(type) + "\" x=\"" + number(x) + "\" y=\"" + number(y) + "\">" +
           escaped(words) + "</text>";
  }

  static std::string legend() {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kEntries = {{{"ask", "model: waiting"},
                                                                                        {"stream", "model: streaming"},
                                                                                        {"queued", "queued"},
                                                                                        {"check", "checks"},
                                                                                        {"hooks", "hooks"},
                                                                                        {"question", "asks a person"},
                                                                                        {"run", "runs"},
                                                                                        {"span", "waits for others"},
                                                                                        {"failed", "failed"}}};
    std::string out;
    double x = kMargin;
    for (const auto& [type, words] : kEntries) {
      out += "<rect class=\"" + std::string(type) + "\" x=\"" + number(x) +
             "\" y=\"36\" width=\"12\" height=\"12\" rx=\"2\"/>" + text(x + 17, 46, "dim", words);
      x += 34 + 6.6 * static_cast<double>(words.size());
    }
    return out + "\n";
  }

  void draw_rows() {
    draw_turns();
    for (const TimelineRequest& request : timeline_.requests) requests_[request.agent].push_back(&request);
    const std::vector<TimelineRow> rows = timeline_rows(timeline_);
    if (timeline_.calls.size() > kDrawnCallsMax) return draw_lanes(rows);
    for (const TimelineRow& row : rows) {
      if (row.call) {
        draw_call(*row.call, row.depth);
      } else {
        draw_requests(row, /*names_agent=*/!row.is_below_starter);
      }
    }
  }

  // Where one turn of the user's ends and the next begins.
  void draw_turns() {
    if (std::ranges::count(timeline_.turns, std::string(), &TimelineTurn::agent) < 2) return;
    label("turns", "dim");
    std::size_t number_of_turn = 0;
    for (const TimelineTurn& turn : timeline_.turns) {
      if (!turn.agent.empty()) continue;
      const std::string name = std::to_string(++number_of_turn);
      bar(turn.span, "turn", "turn " + name + ": " + turn.reason + ", " + time_in_words(turn.span.length_us()), 2);
      const double from = scale_.at(turn.span.begin_us);
      if (scale_.at(turn.span.end_us) - from < 8 + 7 * static_cast<double>(name.size())) continue;
      body_ += text(left() + from + 4, row_y() + 11, "dim", name);
    }
    body_ += "\n";
    ++rows_;
  }

  // A row for each of thousands of calls would show nothing: those of an agent that did not overlap share one.
  void draw_lanes(const std::vector<TimelineRow>& rows) {
    std::map<std::string, std::vector<const TimelineCall*>> calls;
    std::vector<TimelineRow> agents;
    for (const TimelineRow& row : rows) {
      if (agents.empty() || std::ranges::find(agents, row.agent, &TimelineRow::agent) == agents.end()) {
        agents.push_back({.agent = row.agent, .depth = row.depth});
      }
      if (row.call) calls[row.agent].push_back(row.call);
    }
    std::size_t drawn = 0;
    for (const TimelineRow& agent : agents) {
      if (requests_.contains(agent.agent)) draw_requests(agent, /*names_agent=*/true);
      std::vector<TimelineSpan> spans;
      for (const TimelineCall* call : calls[agent.agent]) spans.push_back(call->span);
      const auto lanes = rows_of(spans);
      const std::size_t count = lanes.empty() ? 0 : *std::ranges::max_element(lanes) + 1;
      for (std::size_t lane = 0; lane < count; ++lane) {
        label(lane == 0 ? std::to_string(spans.size()) + " calls" : "side by side", "dim", agent.depth);
        for (std::size_t i = 0; i < spans.size(); ++i) {
          if (lanes[i] == lane && ++drawn <= kDrawnBarsMax) draw_pieces(*calls[agent.agent][i], /*names_it=*/true);
        }
        body_ += "\n";
        ++rows_;
      }
    }
    if (drawn <= kDrawnBarsMax) return;
    body_ += text(kMargin, row_y() + 11, "dim",
                  "and " + std::to_string(drawn - kDrawnBarsMax) + " calls more, which are not drawn");
    ++rows_;
  }

  double row_y() const { return kHeadHeight + static_cast<double>(rows_) * kRowHeight; }

  // What of it has no room is shown with the mouse.
  void label(std::string_view words, std::string_view type = "", std::size_t depth = 0) {
    const std::size_t indent = std::min(depth, kIndentsMax);
    const std::string whole = one_line(words, kTitleCharactersMax);
    const std::string shown = cut_to_columns(whole, kLabelColumnsMax - 2 * indent);
    body_ += "<text class=\"" + std::string(type) + "\" clip-path=\"url(#labels)\" x=\"" +
             number(kMargin + kIndent * static_cast<double>(indent)) + "\" y=\"" + number(row_y() + 11) + "\">" +
             escaped(shown) + (shown == whole ? "" : "<title>" + escaped(whole) + "</title>") + "</text>";
  }

  void bar(const TimelineSpan& span, std::string_view type, const std::string& words, double inset = 0) {
    const double from = scale_.at(span.begin_us);
    const double width = std::max(type == "check" || type == "hooks" || type == "queued" ? kMarkWidth : kBarWidthMin,
                                  scale_.at(span.end_us) - from);
    body_ += "<rect class=\"" + std::string(type) + "\" x=\"" + number(left() + from) + "\" y=\"" +
             number(row_y() + inset) + "\" width=\"" + number(width) + "\" height=\"" + number(kBarHeight - 2 * inset) +
             "\" rx=\"1.5\"><title>" + escaped(words) + "</title></rect>";
  }

  void draw_requests(const TimelineRow& row, bool names_agent) {
    label(row.agent.empty() ? "model" : names_agent ? "model of " + row.agent : "its model", "dim", row.depth);
    for (const TimelineRequest* request : requests_[row.agent]) {
      const std::int64_t answered = request->answered_us == 0 ? request->span.end_us : request->answered_us;
      std::string words = request->model + ": " + request->outcome + ", " + time_in_words(request->span.length_us());
      if (request->output_tokens != 0) words += ", " + std::to_string(request->output_tokens) + " tokens";
      bar({request->span.begin_us, answered}, request->has_failed ? "failed" : "ask", words);
      if (answered < request->span.end_us) bar({answered, request->span.end_us}, "stream", words);
    }
    body_ += "\n";
    ++rows_;
  }

  // What it waited for, and its stages.
  void draw_pieces(const TimelineCall& call, bool names_it) {
    const std::string name = names_it ? (call.title.empty() ? call.tool : call.title) + ": " : "";
    const std::string outcome = call.error.empty() ? "done" : call.error;
    const std::int64_t started = call.started_us == 0 ? call.span.end_us : call.started_us;
    if (started > call.span.begin_us) {
      bar({call.span.begin_us, started}, "queued", name + "queued for " + time_in_words(call.waited_us()), 4);
    }
    if (call.started_us != 0) {
      // What was denied, or had no valid input, never came to run.
      const bool has_run = std::ranges::find(call.stages, "call", &TimelineStage::name) != call.stages.end();
      bar({started, call.span.end_us}, call.error.empty() || has_run ? "span" : "failed",
          name + outcome + ", " + time_in_words(call.span.end_us - started));
    }
    draw_stages(call, name, /*is_work=*/false);
    draw_stages(call, name, /*is_work=*/true);  // on top: however short, it is what matters
  }

  void draw_call(const TimelineCall& call, std::size_t depth) {
    label(call.title.empty() ? call.tool : call.title, "", depth);
    draw_pieces(call, /*names_it=*/false);
    const std::int64_t started = call.started_us == 0 ? call.span.end_us : call.started_us;
    std::string note = time_in_words(call.span.end_us - (call.started_us == 0 ? call.span.begin_us : started));
    if (!call.error.empty()) note += ", " + call.error;
    if (call.is_stored) note += ", result stored";
    if (call.is_unfinished()) note = call.error;  // nobody knows how long it took
    body_ += beside(call.span, note) + "\n";
    ++rows_;
  }

  // After the bar, or before it where it ends at the edge.
  std::string beside(const TimelineSpan& span, std::string_view note) const {
    const double after = left() + scale_.at(span.end_us) + kNoteGap;
    const double width = width_of(note);
    if (after + width <= kWidth) return text(after, row_y() + 11, "dim", note);
    const double before = left() + scale_.at(span.begin_us) - kNoteGap - width;
    return before < left() ? "" : text(before, row_y() + 11, "dim", note);
  }

  void draw_stages(const TimelineCall& call, const std::string& name, bool is_work) {
    for (const TimelineStage& stage : call.stages) {
      const std::string_view type = class_of(stage, !call.error.empty());
      if ((type != "check" && type != "hooks") != is_work) continue;
      bar(stage.span, type,
          name + stage.name + (stage.outcome.empty() ? "" : ": " + stage.outcome) + ", " +
              time_in_words(stage.span.length_us()));
    }
  }

  const Timeline& timeline_;
  const TimelineScale scale_;
  std::map<std::string, std::vector<const TimelineRequest*>> requests_;  // by agent
  std::string body_;
  std::size_t rows_ = 0;
};

}  // namespace

std::string timeline_svg(const Timeline& timeline) { return Picture(timeline).draw(); }

std::string timeline_html(const Timeline& timeline) {
  std::map<std::string, std::pair<std::size_t, std::int64_t>> tools;
  std::size_t failed = 0;
  for (const TimelineCall& call : timeline.calls) {
    auto& [count, time] = tools[call.tool];
    ++count;
    if (call.started_us != 0) time += call.span.end_us - call.started_us;
    if (!call.error.empty()) ++failed;
  }
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>deft trace</title>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<style>:root{color-scheme:light dark}body{font:14px ui-sans-serif,system-ui,sans-serif;margin:24px}"
      "svg{max-width:100%;height:auto}td,th{padding:2px 14px 2px 0;text-align:left}</style></head><body>\n";
  if (!timeline.session.empty()) out += "<p>Session " + escaped(timeline.session) + "</p>\n";
  out += timeline_svg(timeline) + "<table><tr><th>tool</th><th>calls</th><th>time</th></tr>\n";
  for (const auto& [tool, figures] : tools) {
    out += "<tr><td>" + escaped(tool) + "</td><td>" + std::to_string(figures.first) + "</td><td>" +
           time_in_words(figures.second) + "</td></tr>\n";
  }
  out += "</table>\n<p>" + std::to_string(failed) + " of " + std::to_string(timeline.calls.size()) +
         " calls ended in an error.</p>\n";
  if (timeline.left_out > 0) out += "<p>" + std::to_string(timeline.left_out) + " entries were left out.</p>\n";
  return out + "</body></html>\n";
}

}  // namespace deft
