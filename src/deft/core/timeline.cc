#include "deft/core/timeline.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <utility>

#include "deft/base/json_members.h"
#include "deft/base/stable_sort.h"

namespace deft {
namespace {

constexpr std::size_t kStagesMax = 200;

std::string text_of(const Json& line, std::string_view key) { return std::string(find_string(line, key).value_or("")); }

std::int64_t number_of(const Json& line, std::string_view key) { return find_int(line, key).value_or(0); }

std::uint64_t count_of(const Json& line, std::string_view key) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, number_of(line, key)));
}

// Nothing: it makes no sense.
std::optional<TimelineSpan> span_of(const Json& line) {
  const auto begin = find_int(line, "begin"), end = find_int(line, "end");
  if (!begin || !end || *begin < 0 || *end < *begin) return std::nullopt;
  return TimelineSpan{*begin, *end};
}

// One line while it is being written: there is one for every call, and a call may take microseconds.
class Line : public JsonMembers<Line> {
 public:
  Line(std::string_view type, const TimelineSpan& span, const std::string& agent) : type_(type) {
    number("begin", span.begin_us).number("end", span.end_us).text_if_any("agent", agent);
  }
  Line& text_if_any(std::string_view key, std::string_view value) { return value.empty() ? *this : text(key, value); }
  Line& number_if_any(std::string_view key, std::int64_t value) { return value == 0 ? *this : number(key, value); }
  Line& count(std::string_view key, std::uint64_t value) { return number(key, static_cast<std::int64_t>(value)); }

  std::string whole() const { return "{\"type\":\"" + std::string(type_) + "\"" + members() + "}"; }

 private:
  std::string_view type_;
};

std::string stages_json(const std::vector<TimelineStage>& stages) {
  std::string json = "[";
  json.reserve(100 * stages.size() + 2);
  for (const TimelineStage& stage : stages) {
    if (json.size() > 1) json += ',';
    json += "{\"name\":";
    append_json_string(json, stage.name);
    json += ",\"begin\":";
    append_json_integer(json, stage.span.begin_us);
    json += ",\"end\":";
    append_json_integer(json, stage.span.end_us);
    if (!stage.outcome.empty()) {
      json += ",\"outcome\":";
      append_json_string(json, stage.outcome);
    }
    json += '}';
  }
  return json += ']';
}

bool add_call(Timeline& timeline, const Json& line, const TimelineSpan& span) {
  if (timeline.calls.size() >= kTimelineCallsMax) return false;
  TimelineCall call{.id = text_of(line, "id"),
                    .tool = text_of(line, "tool"),
                    .title = text_of(line, "title"),
                    .agent = text_of(line, "agent"),
                    .within = text_of(line, "within"),
                    .span = span,
                    .started_us = number_of(line, "started"),
                    .error = text_of(line, "error"),
                    .result_characters = count_of(line, "characters"),
                    .is_stored = find_bool(line, "stored").value_or(false)};
  if (call.started_us != 0) call.started_us = std::clamp(call.started_us, span.begin_us, span.end_us);
  if (const JsonArray* stages = find_array(line, "stages")) {
    for (const Json& stage : *stages) {
      const auto its_span = span_of(stage);
      if (!its_span || call.stages.size() == kStagesMax) continue;
      call.stages.push_back({text_of(stage, "name"), *its_span, text_of(stage, "outcome")});
    }
  }
  timeline.calls.push_back(std::move(call));
  return true;
}

bool add_request(Timeline& timeline, const Json& line, const TimelineSpan& span) {
  if (timeline.requests.size() >= kTimelineCallsMax) return false;
  TimelineRequest request{.model = text_of(line, "model"),
                          .agent = text_of(line, "agent"),
                          .within = text_of(line, "within"),
                          .span = span,
                          .answered_us = number_of(line, "answered"),
                          .attempt = static_cast<std::size_t>(count_of(line, "attempt")),
                          .outcome = text_of(line, "outcome"),
                          .has_failed = find_bool(line, "failed").value_or(false),
                          .input_tokens = count_of(line, "input_tokens"),
                          .output_tokens = count_of(line, "output_tokens")};
  if (request.answered_us != 0) request.answered_us = std::clamp(request.answered_us, span.begin_us, span.end_us);
  timeline.requests.push_back(std::move(request));
  return true;
}

bool add_turn(Timeline& timeline, const Json& line, const TimelineSpan& span) {
  if (timeline.turns.size() >= kTimelineCallsMax) return false;
  timeline.turns.push_back({text_of(line, "agent"), span, text_of(line, "reason")});
  return true;
}

}  // namespace

TimelineSpan Timeline::span() const {
  TimelineSpan all{std::numeric_limits<std::int64_t>::max(), 0};
  const auto take = [&](const auto& things) {
    for (const auto& thing : things) {
      all.begin_us = std::min(all.begin_us, thing.span.begin_us);
      all.end_us = std::max(all.end_us, thing.span.end_us);
    }
  };
  take(turns);
  take(requests);
  take(calls);
  return is_empty() ? TimelineSpan{} : all;
}

std::string timeline_line(const TimelineCall& call) {
  Line line("call", call.span, call.agent);
  line.text_if_any("within", call.within).text("id", call.id).text("tool", call.tool).text_if_any("title", call.title);
  line.number_if_any("started", call.started_us).text_if_any("error", call.error);
  line.count("characters", call.result_characters);
  if (call.is_stored) line.flag("stored", true);
  return line.raw("stages", stages_json(call.stages)).whole();
}

std::string timeline_line(const TimelineRequest& request) {
  Line line("request", request.span, request.agent);
  line.text_if_any("within", request.within).text("model", request.model);
  line.number_if_any("answered", request.answered_us).count("attempt", request.attempt);
  line.text_if_any("outcome", request.outcome);
  if (request.has_failed) line.flag("failed", true);
  if (request.input_tokens != 0) line.count("input_tokens", request.input_tokens);
  if (request.output_tokens != 0) line.count("output_tokens", request.output_tokens);
  return line.whole();
}

std::string timeline_line(const TimelineTurn& turn) {
  return Line("turn", turn.span, turn.agent).text_if_any("reason", turn.reason).whole();
}

void add_timeline_line(Timeline& timeline, std::string_view text) {
  const auto line = parse_json(text, {.bytes_max = kTimelineLineBytesMax});
  const auto span = line && line->is_object() ? span_of(*line) : std::nullopt;
  bool is_added = false;
  if (span) {
    const std::string_view type = find_string(*line, "type").value_or("");
    if (type == "call") is_added = add_call(timeline, *line, *span);
    if (type == "request") is_added = add_request(timeline, *line, *span);
    if (type == "turn") is_added = add_turn(timeline, *line, *span);
  }
  if (!is_added) ++timeline.left_out;
}

void sort_timeline(Timeline& timeline) {
  const auto begin = [](const auto& thing) { return thing.span.begin_us; };
  stable_sort_by(timeline.turns, begin);
  stable_sort_by(timeline.requests, begin);
  stable_sort_by(timeline.calls, begin);
}

std::string time_in_words(std::int64_t us) {
  std::array<char, 64> text{};
  const double ms = static_cast<double>(us) / 1e3;
  if (us >= 60'000'000) {
    const std::int64_t seconds = us / 1'000'000;
    std::snprintf(text.data(), text.size(), "%lld min %02lld s", static_cast<long long>(seconds / 60),
                  static_cast<long long>(seconds % 60));
  } else if (us >= 1'000'000) {
    std::snprintf(text.data(), text.size(), "%.2f s", ms / 1e3);
  } else {
    std::snprintf(text.data(), text.size(), us >= 10'000 ? "%.0f ms" : "%.1f ms", ms);
  }
  return text.data();
}

std::vector<std::size_t> rows_of(const std::vector<TimelineSpan>& spans) {
  std::vector<std::int64_t> free_from;  // each row
  std::vector<std::size_t> rows;
  for (const TimelineSpan& span : spans) {
    const auto found = std::ranges::find_if(free_from, [&](std::int64_t end) { return end <= span.begin_us; });
    const auto row = static_cast<std::size_t>(found - free_from.begin());
    if (found == free_from.end()) free_from.push_back(0);
    free_from[row] = span.end_us;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace deft
