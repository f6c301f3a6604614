#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "deft/base/clock.h"
#include "deft/tools/shared_schedule.h"

namespace deft {

// How long nobody looks at most: the clock may be set, a machine that slept has lost time, and another session may have
// scheduled something durable.
inline constexpr Duration kScheduleLookAgain = std::chrono::seconds(30);

// Waits for what is scheduled in a session and hands on each prompt when it is due, on a thread of its own.
class ScheduleWatch {
 public:
  struct Parts {
    SharedSchedule::Parts schedule;                     // its on_change is set here
    std::function<void(std::string prompt)> give;       // to the model, when no turn is under way; does not wait
    std::function<void(std::string notice)> tell = {};  // to the people
  };
  explicit ScheduleWatch(Parts parts);
  ~ScheduleWatch();
  ScheduleWatch(const ScheduleWatch&) = delete;
  ScheduleWatch& operator=(const ScheduleWatch&) = delete;

  // For the tools. Outlives them.
  const std::shared_ptr<SharedSchedule>& schedule() const { return schedule_; }
  void look_again();  // something has changed; any thread

 private:
  void work(const std::stop_token& stop);

  const Clock& clock_;
  const std::function<void(std::string)> give_;
  const std::function<void(std::string)> tell_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool look_again_ = false;  // under mutex_
  std::shared_ptr<SharedSchedule> schedule_;
  std::jthread worker_;  // last: it uses all of the above
};

}  // namespace deft
