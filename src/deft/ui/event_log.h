#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "deft/agent/event.h"
#include "deft/base/clock.h"
#include "deft/base/result.h"
#include "deft/base/secret_mask.h"
#include "deft/os/unique_fd.h"
#include "deft/ui/line_writer.h"

namespace deft {

inline constexpr Duration kEventEndTime = std::chrono::seconds(2);  // at the end, for a reader that is slow
inline constexpr std::size_t kEventBytesWaitingMax = std::size_t{16} << 20;

// Every event as a line of JSON in a file (docs/events.md): stands between whoever works and the front end, and passes
// everything on. Written on a thread of its own; whoever reads the file, or a disk that is slow, stalls nobody: what
// does not fit any more is left out, and a line says how much.
class EventLog final : public Frontend {
 public:
  // Appends; a new file is private (0600). A pipe or a device is fine, too.
  static Result<std::unique_ptr<EventLog>> open(const std::string& path, Frontend& next, const Clock& clock,
                                                SecretMask mask);

  ~EventLog() override;  // waits for a slow reader, but no longer than kEventEndTime
  // Further secrets, which only the settings told.
  void know(std::vector<std::string> secrets);

  void show(Event event) override;
  bool wants_stages() const override { return true; }
  bool wants_hooks() const override { return next_.wants_hooks(); }

 private:
  std::string left_out_line();  // under mutex_
  EventLog(UniqueFd file, Frontend& next, const Clock& clock, SecretMask mask);

  const UniqueFd file_;
  Frontend& next_;
  const Clock& clock_;
  LineWriter writer_;
  std::mutex mutex_;
  // Under mutex_:
  std::shared_ptr<const SecretMask> mask_;
  std::size_t left_out_ = 0;
};

}  // namespace deft
