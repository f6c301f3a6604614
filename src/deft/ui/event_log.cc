#include "deft/ui/event_log.h"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "deft/agent/event_line.h"

namespace deft {

Result<std::unique_ptr<EventLog>> EventLog::open(const std::string& path, Frontend& next, const Clock& clock,
                                                 SecretMask mask) {
  // A pipe that nobody reads is said so at once, and one whose reader has stopped must not keep us from ending.
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600));
  if (!file && errno == ENXIO) return fail(Errc::io, "cannot write events to " + path + ": nobody reads it");
  if (!file) return std::unexpected(system_error(Errc::io, "cannot write events to " + path, errno));
  return std::unique_ptr<EventLog>(new EventLog(std::move(file), next, clock, std::move(mask)));
}

EventLog::EventLog(UniqueFd file, Frontend& next, const Clock& clock, SecretMask mask)
    : file_(std::move(file)),
      next_(next),
      clock_(clock),
      writer_(file_.get(), [] {}),
      mask_(std::make_shared<const SecretMask>(std::move(mask))) {}

EventLog::~EventLog() {
  if (left_out_ > 0) writer_.put(left_out_line());
  writer_.finish_within(kEventEndTime);
}

void EventLog::know(std::vector<std::string> secrets) {
  auto mask = std::make_shared<const SecretMask>(std::move(secrets));
  const std::lock_guard lock(mutex_);
  mask_ = std::move(mask);
}

std::string EventLog::left_out_line() {
  return to_json(JsonObject{{"type", "left_out"}, {"events", std::exchange(left_out_, 0)}});
}

void EventLog::show(Event event) {
  const auto wall = clock_.wall_time().time_since_epoch();
  const std::int64_t time_ms = std::chrono::duration_cast<std::chrono::milliseconds>(wall).count();
  const auto mask = [&] {
    const std::lock_guard lock(mutex_);
    return mask_;
  }();
  std::string line = event_line(event, time_ms, *mask);
  {
    const std::lock_guard lock(mutex_);
    if (writer_.waiting_bytes() > kEventBytesWaitingMax) {
      ++left_out_;
    } else {
      if (left_out_ > 0) writer_.put(left_out_line());
      writer_.put(std::move(line));
    }
  }
  const bool is_stage = std::holds_alternative<StageEnded>(event) || std::holds_alternative<CallAdmitted>(event) ||
                        std::holds_alternative<ProgressChanged>(event);
  if (is_stage && !next_.wants_stages()) return;  // only we did
  next_.show(std::move(event));
}

}  // namespace deft
