#include "deft/core/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "deft/base/columns.h"
#include "deft/core/timeline_rows.h"
#include "deft/core/timeline_scale.h"
#include "deft/core/timeline_svg.h"
#include "deft/core/timeline_text.h"
#include "deft/core/timeline_trace.h"

namespace deft {
namespace {

constexpr std::int64_t kMs = 1'000;
constexpr std::int64_t kStart = 1'700'000'000'000'000;

TimelineSpan span(std::int64_t from_ms, std::int64_t to_ms) { return {kStart + from_ms * kMs, kStart + to_ms * kMs}; }

TimelineCall call(std::string id, TimelineSpan its_span, std::string title = {}) {
  return {.id = std::move(id),
          .tool = "Read",
          .title = std::move(title),
          .span = its_span,
          .started_us = its_span.begin_us + 10 * kMs,
          .stages = {{"call", {its_span.begin_us + 12 * kMs, its_span.end_us}, "done"}}};
}

Timeline sample() {
  return {.session = "s",
          .turns = {{.span = span(0, 400), .reason = "completed"}},
          .requests = {{.model = "m", .span = span(0, 200), .answered_us = kStart + 50 * kMs, .outcome = "tool_use"}},
          .calls = {call("a", span(100, 200)), call("b", span(120, 300)), call("c", span(250, 400))}};
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Timeline, ComesBackFromItsLines) {
  Timeline timeline = sample();
  timeline.calls[0].error = "denied";
  timeline.calls[0].is_stored = true;
  timeline.requests[0].output_tokens = 7;
  Timeline back;
  for (const TimelineTurn& turn : timeline.turns) add_timeline_line(back, timeline_line(turn));
  for (const TimelineRequest& request : timeline.requests) add_timeline_line(back, timeline_line(request));
  for (const TimelineCall& one : timeline.calls) add_timeline_line(back, timeline_line(one));
  EXPECT_EQ(back.left_out, 0U);
  ASSERT_EQ(back.calls.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(timeline_line(back.calls[i]), timeline_line(timeline.calls[i]));
  EXPECT_EQ(timeline_line(back.requests.at(0)), timeline_line(timeline.requests[0]));
  EXPECT_EQ(timeline_line(back.turns.at(0)), timeline_line(timeline.turns[0]));
}

TEST(Timeline, LeavesOutWhatMakesNoSense) {
  Timeline timeline;
  for (const char* line : {"", "x", "[]", "{}", R"({"type":"call"})", R"({"type":"call","begin":5,"end":4})",
                           R"({"type":"call","begin":-5,"end":4})", R"({"type":"dream","begin":1,"end":2})",
                           R"({"type":"call","begin":1)"}) {
    add_timeline_line(timeline, line);
  }
  EXPECT_TRUE(timeline.is_empty());
  EXPECT_EQ(timeline.left_out, 9U);
}

TEST(Timeline, PutsWhatOverlapsIntoDifferentRows) {
  EXPECT_EQ(rows_of({span(0, 10), span(5, 8), span(8, 9), span(10, 12)}), (std::vector<std::size_t>{0, 1, 1, 0}));
}

TEST(Timeline, SaysTimesInWords) {
  EXPECT_EQ(time_in_words(400), "0.4 ms");
  EXPECT_EQ(time_in_words(35'000), "35 ms");
  EXPECT_EQ(time_in_words(1'234'000), "1.23 s");
  EXPECT_EQ(time_in_words(125'000'000), "2 min 05 s");
}

TEST(TimelineScale, CutsOutTimesInWhichNothingHappened) {
  Timeline timeline = sample();
  timeline.calls.push_back(call("d", span(600'400, 600'800)));
  const TimelineScale scale(timeline, 1000);
  ASSERT_EQ(scale.cuts().size(), 1U);
  EXPECT_EQ(scale.cuts()[0].length_us, 600'000 * kMs);
  EXPECT_LT(scale.cuts()[0].to - scale.cuts()[0].from, 20);
  EXPECT_EQ(scale.active_us(), 800 * kMs);
  EXPECT_DOUBLE_EQ(scale.at(kStart), 0);
  EXPECT_NEAR(scale.at(kStart + 600'800 * kMs), 1000, 0.001);
  double before = -1;
  for (std::int64_t ms = 0; ms < 600'800; ms += 100) {
    const double at = scale.at(kStart + ms * kMs);
    EXPECT_GE(at, before) << "time only goes on";
    before = at;
  }
  EXPECT_LE(scale.ticks(8).size(), 20U);
}

TEST(TimelineScale, AMomentIsEnough) {
  const Timeline timeline{.calls = {{.id = "a", .tool = "Read", .span = span(0, 0)}}};
  EXPECT_DOUBLE_EQ(TimelineScale(timeline, 100).at(kStart), 0);
  EXPECT_FALSE(timeline_svg(timeline).empty());
  EXPECT_FALSE(timeline_text(timeline, 80).empty());
}

TEST(TimelineSvg, DrawsEveryCallWithItsStages) {
  const std::string svg = timeline_svg(sample());
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(holds(svg, "3 calls, 1 request to the model in 400 ms"));
  EXPECT_TRUE(holds(svg, "class=\"stream\""));
  EXPECT_TRUE(holds(svg, "queued for 10 ms"));
  EXPECT_TRUE(holds(svg, "call: done, 88 ms"));
}

TEST(TimelineSvg, WhatStrangersWroteIsTextAndNothingElse) {
  Timeline timeline = sample();
  timeline.calls[0].title = "<script>alert(1)</script>\"&\x1B[2J\xE2\x80\xAE\xFF";
  timeline.session = "<b>";
  const std::string html = timeline_html(timeline);
  EXPECT_FALSE(holds(html, "<script"));
  EXPECT_FALSE(holds(html, "<b>"));
  EXPECT_FALSE(holds(html, "\x1B"));
  EXPECT_FALSE(holds(html, "\xE2\x80\xAE"));
  EXPECT_TRUE(holds(html, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;"));
}

TEST(TimelineSvg, OfVeryManyCallsThoseThatDoNotOverlapShareARow) {
  Timeline timeline;
  for (std::size_t i = 0; i < kDrawnCallsMax + 3; ++i) {
    timeline.calls.push_back(
        call(std::to_string(i), span(10 * static_cast<std::int64_t>(i), 10 * static_cast<std::int64_t>(i) + 15)));
  }
  const std::string svg = timeline_svg(timeline);
  EXPECT_TRUE(holds(svg, "503 calls</text>"));
  EXPECT_EQ(std::ranges::count(svg, '\n') < 30, true) << "two rows";
  EXPECT_TRUE(holds(svg, "side by side"));
}

TEST(TimelineSvg, ALabelThatIsTooWideEndsBeforeTheBarsAndIsWholeUnderTheMouse) {
  Timeline timeline = sample();
  timeline.calls[0].title = "Bash(" + std::string(60, 'W') + ")";
  timeline.calls[1].title = "Read(日本語のタイトル日本語のタイトル日本語のタイトル.txt)";
  const std::string svg = timeline_svg(timeline);
  EXPECT_TRUE(holds(svg, "W…<title>Bash(" + std::string(60, 'W') + ")</title></text>")) << svg;
  EXPECT_TRUE(holds(svg, "…<title>Read(日本語のタイトル日本語のタイトル日本語のタイトル.txt)</title></text>"));
  EXPECT_TRUE(holds(svg, "<clipPath id=\"labels\">"));
  EXPECT_TRUE(holds(svg, "clip-path=\"url(#labels)\""));
}

TEST(TimelineSvg, SaysHowLongACallTookAlsoAtTheRightEdge) {
  Timeline timeline;
  timeline.calls = {call("long", span(0, 1'000)), call("whole", span(0, 1'000)), call("late", span(900, 1'000))};
  timeline.calls[2].error = "denied";
  const std::string svg = timeline_svg(timeline);
  EXPECT_TRUE(holds(svg, ">90 ms, denied</text>")) << svg;
  EXPECT_FALSE(holds(svg, ">990 ms</text>")) << "there is no room on either side";
}

TEST(TimelineSvg, WhatWasDeniedIsMarkedAsFailedAndWhoWaitsIsInTheLegend) {
  Timeline timeline = sample();
  timeline.calls[0].error = "denied";
  timeline.calls[0].stages = {{"permission", span(110, 120), "deny"}};
  const std::string svg = timeline_svg(timeline);
  EXPECT_TRUE(holds(svg, "><title>denied, 90 ms</title>"));
  const std::size_t bar = svg.rfind("<rect class=\"", svg.find("><title>denied, 90 ms</title>"));
  EXPECT_EQ(svg.substr(bar, 20), "<rect class=\"failed\"") << svg;
  EXPECT_TRUE(holds(svg, "waits for others</text>"));
}

TEST(TimelineSvg, SaysNoTimeOfACallWhoseEndNobodyHasSeen) {
  Timeline timeline = sample();
  timeline.calls[0].error = kTimelineUnfinished;
  EXPECT_TRUE(holds(timeline_svg(timeline), ">unfinished</text>"));
  EXPECT_TRUE(holds(timeline_text(timeline, 100), "| unfinished\n"));
}

TEST(TimelineSvg, TheModelOfASubagentStandsBelowItsCallAndNeedsNoName) {
  Timeline timeline = sample();
  timeline.requests.push_back({.model = "m", .agent = "a1b2", .within = "a", .span = span(110, 150)});
  timeline.requests.push_back({.model = "m", .agent = "c3d4", .within = "unknown", .span = span(110, 150)});
  const std::string svg = timeline_svg(timeline);
  EXPECT_TRUE(holds(svg, ">its model</text>")) << svg;
  EXPECT_TRUE(holds(svg, ">model of c3d4</text>"));
  EXPECT_FALSE(holds(svg, "a1b2"));
}

TEST(TimelineSvg, ShowsWhereTurnsBegin) {
  Timeline timeline = sample();
  EXPECT_FALSE(holds(timeline_svg(timeline), "turns</text>"));
  timeline.turns = {{.span = span(0, 100), .reason = "completed"}, {.span = span(200, 400), .reason = "aborted"}};
  EXPECT_TRUE(holds(timeline_svg(timeline), "turn 2: aborted, 200 ms"));
}

TEST(TimelineRows, WhatASubagentDidStandsBelowTheCallThatStartedIt) {
  Timeline timeline;
  timeline.calls = {call("a", span(0, 100)), call("b", span(1, 2)), call("s", span(5, 6)), call("t", span(7, 8)),
                    call("lost", span(8, 9))};
  timeline.calls[2].agent = "x1";
  timeline.calls[2].within = "a";
  timeline.calls[3].agent = "x2";
  timeline.calls[3].within = "s";
  timeline.calls[4].agent = "x3";
  timeline.calls[4].within = "nobody";
  timeline.requests = {{.model = "m", .agent = "x1", .within = "a", .span = span(4, 9)}};
  std::string order;
  for (const TimelineRow& row : timeline_rows(timeline)) {
    order += std::string(row.depth, '>') + (row.call ? row.call->id : "model") + " ";
  }
  EXPECT_EQ(order, "a >model >s >>t b >lost ");
}

TEST(TimelineTrace, IsOneThatViewersOpen) {
  Timeline timeline = sample();
  timeline.calls[2].agent = "helper";
  const auto trace = parse_json(trace_json(timeline));
  ASSERT_TRUE(trace);
  const JsonArray* events = find_array(*trace, "traceEvents");
  ASSERT_TRUE(events);
  std::size_t calls = 0, processes = 0;
  for (const Json& event : *events) {
    const auto phase = find_string(event, "ph");
    ASSERT_TRUE(phase == "X" || phase == "M");
    if (find_string(event, "name") == "process_name") ++processes;
    if (phase != "X") continue;
    ASSERT_TRUE(find_int(event, "ts").value_or(-1) >= 0 && find_int(event, "dur").value_or(-1) >= 0);
    if (find_string(event, "cat") == "call") ++calls;
  }
  EXPECT_EQ(calls, 3U);
  EXPECT_EQ(processes, 2U);
}

TEST(TimelineText, ShowsWhatRanSideBySide) {
  const std::string text = timeline_text(sample(), 100);
  EXPECT_TRUE(holds(text, "model"));
  EXPECT_TRUE(holds(text, "~"));
  EXPECT_TRUE(holds(text, "█"));
  EXPECT_TRUE(holds(text, "400 ms"));
}

// Each line of a picture in characters: how many columns it takes.
std::vector<std::size_t> line_widths(const std::string& text) {
  std::vector<std::size_t> widths;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    widths.push_back(count_columns(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return widths;
}

TEST(TimelineText, HasRoomInATerminalOfAnyUsualWidth) {
  for (const std::size_t width : {40U, 61U, 62U, 80U, 99U, 100U, 118U}) {
    for (const std::size_t line : line_widths(timeline_text(sample(), width))) EXPECT_LE(line, width);
  }
}

TEST(TimelineText, BarsBeginBelowEachOtherWhateverTheLettersAre) {
  Timeline timeline = sample();
  timeline.calls[0].title = "Read(日本語のタイトル日本語のタイトル)";
  timeline.calls[1].title = "Read(e\u0301te\u0301)";
  const std::string text = timeline_text(timeline, 80);
  std::set<std::size_t> columns;
  for (std::size_t line = 0, i = 0; i < 4; ++i, line = text.find('\n', line) + 1) {
    columns.insert(count_columns(text.substr(line, text.find('|', line) - line)));
  }
  EXPECT_EQ(columns.size(), 1U) << text;
}

}  // namespace
}  // namespace deft
