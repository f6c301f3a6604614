#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/clock.h"
#include "deft/core/schedule.h"

namespace deft {

inline constexpr std::int64_t kWakeupSecondsMin = 60;
inline constexpr std::int64_t kWakeupSecondsMax = 3'600;
inline constexpr std::size_t kScheduleFileBytesMax = std::size_t{4} << 20;

// A prompt to be given to the model now.
struct PromptDue {
  std::string id;      // of the schedule; "wakeup" for the one of ScheduleWakeup
  std::string prompt;  // with a line above it that says where it comes from and what was missed
};

// What is scheduled in a session. Any thread may call. Whoever owns the session asks next_due(), waits so long, takes
// what is due and gives it to the model as a prompt when no turn is under way; on_change is called when the time to
// wait for may be another one.
//
// Durable ones lie in a file that the sessions of one project share, and outlive them; each of their times is given to
// one session, the first that takes it.
class SharedSchedule {
 public:
  struct Parts {
    const Clock& clock;
    UtcOffset offset;                               // local_utc_offset
    std::string durable_file = {};                  // absolute, private to the user; empty: nothing is durable
    std::function<void()> on_change = nullptr;      // from any thread
    std::function<std::string()> new_id = nullptr;  // nothing: a random one
    // False: the session ends with the turn under way, so nothing is given in it. Durable prompts can still be made,
    // for sessions to come.
    bool gives_prompts = true;
  };
  explicit SharedSchedule(Parts parts);

  struct Entry {
    ScheduledPrompt prompt;
    bool durable = false;
    std::optional<UtcSeconds> next = std::nullopt;
  };
  Result<Entry> create(std::string_view cron, std::string prompt, bool recurring, bool durable);
  // False: there is none of this id.
  Result<bool> remove(std::string_view id);
  Result<std::vector<Entry>> list();
  bool is_durable(std::string_view id);
  bool gives_prompts() const { return parts_.gives_prompts; }
  // For people, of a session that gives none: durable prompts whose time has come. They are left for one that does.
  std::vector<std::string> overdue();

  // One at a time: a later one takes the place of the one before. Returns the seconds it will be, within the limits.
  std::int64_t set_wakeup(std::int64_t delay_seconds, std::string reason, std::string prompt);
  bool cancel_wakeup();  // false: there was none

  // May be over already. Nothing: none is scheduled.
  std::optional<WallTime> next_due();
  std::vector<PromptDue> take_due();
  // What people should know, once: what was missed and does not run now, a file that cannot be read.
  std::vector<std::string> take_notices();

 private:
  struct Wakeup {
    UtcSeconds at = 0;
    std::string reason;
    std::string prompt;
  };
  UtcSeconds now() const;
  std::string shown_time(UtcSeconds at) const;
  std::string new_id() const;
  Result<void> change_durable(const std::function<Result<void>(Schedule&)>& change);  // under mutex_
  Result<void> read_durable();                                                        // under mutex_
  void look_at_durable();                                                             // under mutex_
  void add_due(const DuePrompt& due, std::vector<PromptDue>& into);                   // under mutex_
  void tell_of_change() const;

  const Parts parts_;
  const UtcSeconds since_;
  std::mutex mutex_;
  // All under mutex_.
  Schedule own_;
  Schedule durable_;          // as the file was when it was last looked at
  std::string last_problem_;  // with the file; people were told of it
  std::optional<Wakeup> wakeup_;
  std::vector<std::string> notices_;
};

}  // namespace deft
