#include "deft/agent/session_timeline.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unordered_map>
#include <utility>

#include "deft/agent/journal_reader.h"
#include "deft/agent/timeline_recorder.h"
#include "deft/base/path.h"
#include "deft/base/secret_mask.h"
#include "deft/base/text.h"
#include "deft/os/secrecy.h"

namespace deft {
namespace {

constexpr std::int64_t kUsPerMs = 1'000;
constexpr std::int64_t kTimeMsMax = std::int64_t{1} << 50;  // what is beyond is no time
constexpr std::size_t kTitleCharactersMax = 80;

// Lines of any length, of which only so much is kept as is looked at.
bool next_line(std::istream& file, std::string& line) {
  line.clear();
  char c = 0;
  bool has_any = false;
  while (file.get(c)) {
    has_any = true;
    if (c == '\n') return true;
    if (line.size() <= kTimelineLineBytesMax) line += c;
  }
  return has_any;
}

bool read_timeline_file(const std::string& path, Timeline& timeline) {
  std::error_code ec;
  if (!std::filesystem::is_regular_file(path, ec)) return false;
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  for (std::string line; next_line(file, line);) add_timeline_line(timeline, line);
  return true;
}

// Masked before it is cut: the beginning of a secret does not look like one.
std::string title_of(const Json& entry, const SecretMask& mask) {
  const std::string tool(find_string(entry, "tool").value_or(""));
  const Json* input = find(entry, "input");
  if (!input) return tool;
  for (const char* key : {"command", "file_path", "pattern", "url", "query", "description"}) {
    const auto value = find_string(*input, key);
    if (value) return tool + "(" + one_line(mask.masked(*value), kTitleCharactersMax) + ")";
  }
  return tool;
}

// What a journal tells of calls.
class JournalCalls {
 public:
  explicit JournalCalls(Timeline& timeline) : timeline_(timeline), mask_(secrets_of_environment()) {}

  void take(std::string_view type, const Json& entry) {
    const std::int64_t now = std::clamp<std::int64_t>(find_int(entry, "time_ms").value_or(0), 0, kTimeMsMax) * kUsPerMs;
    const std::string id(find_string(entry, "call").value_or(""));
    if (type == "asked") open(id, entry, now).asked_us = now;
    if (type == "intent") open(id, entry, now).call.started_us = now;
    if (type == "result") close(id, entry, now);
    last_us_ = std::max(last_us_, now);
  }

  // Calls that began in the time of `into` and have no result: the process was killed, or is still at work. What is
  // older is a fork's, of the session that it came from.
  void add_unfinished(Timeline& into) {
    const TimelineSpan within = into.span();
    for (auto& [id, open] : open_) {
      TimelineCall& call = open.call;
      if (call.span.begin_us < within.begin_us || into.calls.size() >= kTimelineCallsMax) continue;
      call.span.end_us = std::max({call.span.begin_us, last_us_, within.end_us});
      const bool has_begun = call.started_us != 0;
      call.stages.push_back({has_begun ? "call" : "question", call.span, {}});
      if (!has_begun) call.started_us = call.span.begin_us;
      call.error = kTimelineUnfinished;
      into.calls.push_back(std::move(call));
    }
    open_.clear();
  }

 private:
  struct Open {
    TimelineCall call;
    std::int64_t asked_us = 0;
  };

  Open& open(const std::string& id, const Json& entry, std::int64_t now) {
    const auto [found, is_new] = open_.try_emplace(id);
    if (is_new) {
      found->second.call = {.id = id,
                            .tool = std::string(find_string(entry, "tool").value_or("")),
                            .title = title_of(entry, mask_),
                            .span = {now, now}};
    }
    return found->second;
  }

  void close(const std::string& id, const Json& entry, std::int64_t time) {
    Open& known = open(id, entry, time);
    TimelineCall& call = known.call;
    // A clock may have jumped back meanwhile.
    const std::int64_t now = std::max({time, call.span.begin_us, call.started_us, known.asked_us});
    call.span.end_us = now;
    // A call that only reads leaves no trace of its begin.
    if (call.started_us == 0 && known.asked_us == 0) call.started_us = now;
    if (known.asked_us != 0) {
      const std::int64_t settled = call.started_us == 0 ? now : std::max(call.started_us, known.asked_us);
      call.stages.push_back({"question", {known.asked_us, settled}, {}});
    }
    if (call.started_us != 0) call.stages.push_back({"call", {call.started_us, now}, {}});
    if (find_bool(entry, "is_error").value_or(false)) call.error = "failed";
    call.result_characters = find_string(entry, "content").value_or("").size();
    if (timeline_.calls.size() < kTimelineCallsMax) {
      timeline_.calls.push_back(std::move(call));
    } else {
      ++timeline_.left_out;
    }
    open_.erase(id);
  }

  Timeline& timeline_;
  const SecretMask mask_;
  std::unordered_map<std::string, Open> open_;
  std::int64_t last_us_ = 0;
};

}  // namespace

Result<Timeline> session_timeline(const std::string& session_folder) {
  Timeline timeline{.session = std::string(file_name(session_folder))};
  const std::string journal = session_folder + "/" + std::string(kJournalFile);
  const bool has_timeline = read_timeline_file(session_folder + "/" + std::string(kTimelineFile), timeline);
  Timeline of_journal;
  JournalCalls calls(has_timeline ? of_journal : timeline);
  const auto read = read_journal(journal, [&](std::string_view type, const Json& entry) { calls.take(type, entry); });
  if (!read && !has_timeline) return std::unexpected(read.error());
  calls.add_unfinished(timeline);
  sort_timeline(timeline);
  return timeline;
}

}  // namespace deft
