#include "deft/ui/event_log.h"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "deft/agent/event_line.h"

namespace deft {

Result<std::unique_ptr<EventLog>> EventLog::open(const std::string& path, Frontend& next, const Clock& clock,
                                                 SecretMask mask) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600));
  if (!file) return std::unexpected(system_error(Errc::io, "cannot write events to " + path, errno));
  return std::unique_ptr<EventLog>(new EventLog(std::move(file), next, clock, std::move(mask)));
}

EventLog::EventLog(UniqueFd file, Frontend& next, const Clock& clock, SecretMask mask)
    : file_(std::move(file)), next_(next), clock_(clock), mask_(std::move(mask)), writer_(file_.get(), [] {}) {}

void EventLog::show(Event event) {
  const auto wall = clock_.wall_time().time_since_epoch();
  const std::int64_t time_ms = std::chrono::duration_cast<std::chrono::milliseconds>(wall).count();
  std::string line = event_line(event, time_ms, mask_);
  {
    const std::lock_guard lock(mutex_);
    if (writer_.waiting_bytes() > kEventBytesWaitingMax) {
      ++left_out_;
    } else {
      if (left_out_ > 0) {
        writer_.put(to_json(JsonObject{{"type", "left_out"}, {"events", std::exchange(left_out_, 0)}}));
      }
      writer_.put(std::move(line));
    }
  }
  const bool is_stage = std::holds_alternative<StageEnded>(event) || std::holds_alternative<CallAdmitted>(event) ||
                        std::holds_alternative<ProgressChanged>(event);
  if (is_stage && !next_.wants_stages()) return;  // only we did
  next_.show(std::move(event));
}

}  // namespace deft
