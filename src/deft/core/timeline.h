#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

// When everything in a session happened: a value, written line by line as things end (agent/timeline_recorder.h), read
// back by `deft trace`, and drawn (timeline_svg.h, timeline_text.h, timeline_trace.h). Times are microseconds since
// 1970.

namespace deft {

inline constexpr std::size_t kTimelineCallsMax = 100'000;  // read; what is beyond is counted
inline constexpr std::size_t kTimelineLineBytesMax = std::size_t{256} << 10;
inline constexpr std::string_view kTimelineUnfinished = "unfinished";  // the error of a call whose end nobody has seen

struct TimelineSpan {
  std::int64_t begin_us = 0;
  std::int64_t end_us = 0;
  std::int64_t length_us() const { return end_us - begin_us; }
};

// One stage of one call: "pre_hooks", "call" … A question to a person is the stage "question".
struct TimelineStage {
  std::string name;
  TimelineSpan span;
  std::string outcome = {};
};

struct TimelineCall {
  std::string id;
  std::string tool;
  std::string title = {};       // "Bash(make test)"
  std::string agent = {};       // id of a subagent
  std::string within = {};      // the call that started that agent
  TimelineSpan span;            // from its arrival to its answer
  std::int64_t started_us = 0;  // when its turn had come; 0: it never started
  std::vector<TimelineStage> stages = {};
  std::string error = {};  // stable code; empty: it went well
  std::size_t result_characters = 0;
  bool is_stored = false;  // its result was too large for the conversation

  bool is_unfinished() const { return error == kTimelineUnfinished; }
  std::int64_t waited_us() const { return (started_us == 0 ? span.end_us : started_us) - span.begin_us; }
};

// One request to the model.
struct TimelineRequest {
  std::string model;
  std::string agent = {};
  std::string within = {};
  TimelineSpan span;             // from its sending to the message's end
  std::int64_t answered_us = 0;  // its answer began; 0: never
  std::size_t attempt = 1;
  std::string outcome = {};  // the API's stop reason, or what went wrong
  bool has_failed = false;
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  // Not in the file.
  std::uint64_t cache_read_tokens = 0;  // of the input
  std::uint64_t cache_write_tokens = 0;
  std::string response_id = {};
  std::string response_model = {};
  std::string error_type = {};  // of one that has failed
};

struct TimelineTurn {
  std::string agent = {};
  TimelineSpan span;
  std::string reason = {};
  // Not in the file.
  std::string agent_type = {};
  std::string within = {};
  bool has_failed = false;
};

struct Timeline {
  std::string session = {};
  std::vector<TimelineTurn> turns = {};
  std::vector<TimelineRequest> requests = {};
  std::vector<TimelineCall> calls = {};
  std::size_t left_out = 0;  // beyond the limits, or not readable

  bool is_empty() const { return turns.empty() && requests.empty() && calls.empty(); }
  TimelineSpan span() const;  // of everything
};

// One line of the file each.
std::string timeline_line(const TimelineCall& call);
std::string timeline_line(const TimelineRequest& request);
std::string timeline_line(const TimelineTurn& turn);
// Adds what a line says. Lines that are not whole, or of a kind that is not known, are left out and counted.
void add_timeline_line(Timeline& timeline, std::string_view line);
// In the order in which things began.
void sort_timeline(Timeline& timeline);

// "1.2 s", "35 ms", "0.4 ms"
std::string time_in_words(std::int64_t us);

// Rows such that nothing in one row overlaps: the row of each span, in the order given, which is that of their begins.
std::vector<std::size_t> rows_of(const std::vector<TimelineSpan>& spans);

}  // namespace deft
