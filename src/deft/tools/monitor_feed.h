#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "deft/core/line_throttle.h"
#include "deft/tools/monitor.h"

namespace deft {

// Makes events of what one command prints. Any thread may add to it; events leave on a thread of its own.
class MonitorFeed {
 public:
  MonitorFeed(std::string task_id, std::string description, const Clock& clock, MonitorSink sink);
  ~MonitorFeed();  // what was not told yet is dropped: nobody listens any more
  MonitorFeed(const MonitorFeed&) = delete;
  MonitorFeed& operator=(const MonitorFeed&) = delete;

  void add(std::string_view bytes);
  // No more comes; the last event says how it ended. Does not wait.
  void end(std::string how);

 private:
  void work(const std::stop_token& stop);
  MonitorEvent event_of(LineThrottle::Batch batch) const;

  const std::string task_id_;
  const std::string description_;
  const Clock& clock_;
  const MonitorSink sink_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  LineThrottle throttle_;             // under mutex_
  std::optional<std::string> ended_;  // under mutex_
  std::jthread worker_;               // last: it uses all of the above
};

}  // namespace deft
