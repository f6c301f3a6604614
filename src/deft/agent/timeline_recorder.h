#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "deft/agent/call_runner.h"
#include "deft/agent/event.h"
#include "deft/agent/timeline_sink.h"
#include "deft/base/clock.h"
#include "deft/base/secret_mask.h"
#include "deft/core/timeline.h"
#include "deft/os/secrecy.h"
#include "deft/os/unique_fd.h"

namespace deft {

inline constexpr std::string_view kTimelineFile = "timeline.jsonl";
inline constexpr std::size_t kTimelineFileBytesMax = std::size_t{64} << 20;
inline constexpr std::size_t kTimelineKeptMax = 500;        // lines that are not written yet
inline constexpr std::size_t kTimelineWrittenAloneMax = 8;  // lines that are not worth waking a thread for

// Keeps when everything happened: stands between whoever works and the front end, passes every event on, and has a line
// in `timeline.jsonl` of the session's folder for every call, request and turn that has ended. `deft trace` reads it.
// It is beside the journal, because it is for looking only: what cannot be written, or is beyond the limit, is left
// out, and nobody is told. The agents of a session write the same file, each with a recorder of its own.
//
// Nobody waits for it: what has ended during a turn is kept in memory and written, in one go, while the model thinks,
// when the turn ends, and when it is more than a few.
class TimelineRecorder final : public Frontend {
 public:
  struct Whose {
    std::string agent_id = {};    // of a subagent
    std::string agent_type = {};  // empty: none is named
    std::string within = {};      // the call that started it
    std::vector<std::string> secrets = secrets_of_environment();
  };
  TimelineRecorder(Frontend& next, const Clock& clock, Whose whose);
  TimelineRecorder(Frontend& next, const Clock& clock) : TimelineRecorder(next, clock, Whose{}) {}
  ~TimelineRecorder() override;

  // Before one of these it only passes on.
  void begin(const std::string& session_folder);
  void tell(TimelineSink& sink);  // too; outlives it

  void show(Event event) override;
  bool wants_stages() const override { return next_.wants_stages(); }
  bool wants_times() const override { return is_open_ || next_.wants_times(); }
  bool wants_progress() const override { return next_.wants_progress(); }
  void write_now();  // what is kept; from any thread
  // The same, much of it on another thread: the answer to a request may come before it is written. `runner` ends before
  // this does.
  void write_soon(CallRunner& runner);
  bool wants_hooks() const override { return next_.wants_hooks(); }

 private:
  struct TimedCall {
    TimelineCall call;  // without its stages, and its title not masked yet
    std::vector<StageTime> times;
  };
  std::int64_t at_us(TimePoint time) const;
  bool note(const Event& event);  // true: it is time to write
  TimelineTurn begun_turn(std::int64_t now) const;
  TimedCall timed(const CallAnswered& answered, std::int64_t now) const;
  TimelineCall finished(TimedCall timed) const;
  static TimelineRequest finished(TimelineRequest request) { return request; }
  static TimelineTurn finished(TimelineTurn turn) { return turn; }
  void end_request(std::int64_t now, std::string_view outcome, bool has_failed);
  std::string shown(std::string_view title) const;
  template <class One>
  void keep(One ended);
  using Ended = std::variant<TimedCall, TimelineRequest, TimelineTurn>;
  std::string lines_of(std::vector<Ended> ended);
  bool open_file();

  Frontend& next_;
  const Clock& clock_;
  const std::string agent_id_;
  const std::string agent_type_;
  const std::string within_;
  const std::int64_t offset_us_;  // from the steady clock to 1970
  const SecretMask mask_;
  std::atomic<bool> is_open_ = false;
  std::mutex writing_;  // before mutex_, which nobody holds while lines are made and written
  // Under writing_:
  std::string path_;
  UniqueFd file_;
  std::size_t bytes_ = 0;
  std::mutex mutex_;
  // Under mutex_:
  bool has_file_ = false;  // or will have it, with the first line
  TimelineSink* sink_ = nullptr;
  std::vector<Ended> kept_;  // not written yet
  bool is_due_ = false;      // it should be written
  std::optional<TimelineRequest> request_;
  std::optional<TimelineTurn> turn_;
};

}  // namespace deft
