#include "deft/tools/shared_schedule.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <utility>

#include "deft/os/change_file.h"
#include "deft/os/disk_files.h"
#include "deft/os/uuid.h"

namespace deft {
namespace {

constexpr std::size_t kIdCharacters = 8;
constexpr std::string_view kWakeupId = "wakeup";

Result<Schedule> schedule_in(const std::string& text, const std::string& path) {
  if (text.empty()) return Schedule{};
  const auto json = parse_json(text, {.bytes_max = kScheduleFileBytesMax});
  if (json && json->is_object()) return Schedule::from_json(*json);
  return fail(Errc::invalid_json, path +
                                      " holds the prompts that are scheduled, and cannot be read: repair or remove "
                                      "it.");
}

std::string times(std::size_t count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

}  // namespace

SharedSchedule::SharedSchedule(Parts parts) : parts_(std::move(parts)), since_(now()) {}

UtcSeconds SharedSchedule::now() const {
  return std::chrono::duration_cast<std::chrono::seconds>(parts_.clock.wall_time().time_since_epoch()).count();
}

std::string SharedSchedule::shown_time(UtcSeconds at) const {
  const std::chrono::sys_seconds local{std::chrono::seconds(at + parts_.offset(at))};
  const auto date = std::chrono::floor<std::chrono::days>(local);
  const std::chrono::year_month_day day(date);
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(local - date).count();
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u %02d:%02d", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()), static_cast<int>(minutes / 60),
                static_cast<int>(minutes % 60));
  return text.data();
}

std::string SharedSchedule::new_id() const {
  return parts_.new_id ? parts_.new_id() : random_uuid().substr(0, kIdCharacters);
}

void SharedSchedule::tell_of_change() const {
  if (parts_.on_change) parts_.on_change();
}

Result<void> SharedSchedule::change_durable(const std::function<Result<void>(Schedule&)>& change) {
  return change_file(parts_.durable_file, [&](std::string text) -> Result<std::string> {
    auto schedule = schedule_in(text, parts_.durable_file);
    if (!schedule) return std::unexpected(schedule.error());
    if (auto changed = change(*schedule); !changed) return std::unexpected(changed.error());
    durable_ = std::move(*schedule);
    return to_json(durable_.to_json_value()) + "\n";
  });
}

Result<void> SharedSchedule::read_durable() {
  if (parts_.durable_file.empty()) return {};
  DiskFiles files;
  const auto canonical = files.canonical(parts_.durable_file);
  if (!canonical) return std::unexpected(canonical.error());
  const auto content = files.read(*canonical, kScheduleFileBytesMax);
  durable_ = {};
  if (!content && content.error().code == Errc::not_found) return {};
  if (!content) return std::unexpected(content.error());
  auto schedule = schedule_in(content->bytes, parts_.durable_file);
  if (!schedule) return std::unexpected(schedule.error());
  durable_ = std::move(*schedule);
  return {};
}

// Each time: other sessions change it too.
void SharedSchedule::look_at_durable() {
  const auto looked = read_durable();
  std::string problem = looked ? "" : looked.error().message;
  if (!problem.empty() && problem != last_problem_) notices_.push_back(problem);
  last_problem_ = std::move(problem);
}

Result<SharedSchedule::Entry> SharedSchedule::create(std::string_view cron, std::string prompt, bool recurring,
                                                     bool durable) {
  if (durable && parts_.durable_file.empty()) {
    return fail(Errc::unsupported, "Nothing durable can be scheduled here: leave durable out.");
  }
  Result<Entry> made;
  {
    const std::lock_guard lock(mutex_);
    const auto add = [&](Schedule& schedule) -> Result<void> {
      auto created = schedule.create(new_id(), cron, prompt, recurring, now(), parts_.offset);
      if (!created) return std::unexpected(created.error());
      made = Entry{.prompt = *created, .durable = durable, .next = Schedule::next_due(*created, parts_.offset)};
      return {};
    };
    if (auto added = durable ? change_durable(add) : add(own_); !added) return std::unexpected(added.error());
  }
  tell_of_change();
  return made;
}

Result<bool> SharedSchedule::remove(std::string_view id) {
  bool is_removed = false;
  {
    const std::lock_guard lock(mutex_);
    look_at_durable();
    is_removed = own_.remove(id);
    if (!is_removed && durable_.find(id)) {
      const auto changed = change_durable([&](Schedule& schedule) -> Result<void> {
        is_removed = schedule.remove(id);
        return {};
      });
      if (!changed) return std::unexpected(changed.error());
    }
  }
  if (is_removed) tell_of_change();
  return is_removed;
}

bool SharedSchedule::is_durable(std::string_view id) {
  const std::lock_guard lock(mutex_);
  look_at_durable();
  return durable_.find(id) != nullptr;
}

Result<std::vector<SharedSchedule::Entry>> SharedSchedule::list() {
  const std::lock_guard lock(mutex_);
  if (auto looked = read_durable(); !looked) return std::unexpected(looked.error());
  std::vector<Entry> entries;
  for (const Schedule* schedule : {&own_, &durable_}) {
    for (const ScheduledPrompt& prompt : schedule->all()) {
      entries.push_back(
          {.prompt = prompt, .durable = schedule == &durable_, .next = Schedule::next_due(prompt, parts_.offset)});
    }
  }
  return entries;
}

std::vector<std::string> SharedSchedule::overdue() {
  const std::lock_guard lock(mutex_);
  look_at_durable();
  std::vector<std::string> lines = std::exchange(notices_, {});
  for (const ScheduledPrompt& prompt : durable_.all()) {
    const auto due = Schedule::next_due(prompt, parts_.offset);
    if (!due || *due > now()) continue;
    lines.push_back("The scheduled prompt " + prompt.id + " was due on " + shown_time(*due) +
                    " and was not run. It waits for a session that stays open (--input-format stream-json).");
  }
  return lines;
}

std::int64_t SharedSchedule::set_wakeup(std::int64_t delay_seconds, std::string reason, std::string prompt) {
  const std::int64_t delay = std::clamp(delay_seconds, kWakeupSecondsMin, kWakeupSecondsMax);
  {
    const std::lock_guard lock(mutex_);
    wakeup_ = Wakeup{.at = now() + delay, .reason = std::move(reason), .prompt = std::move(prompt)};
  }
  tell_of_change();
  return delay;
}

bool SharedSchedule::cancel_wakeup() {
  bool was_set = false;
  {
    const std::lock_guard lock(mutex_);
    was_set = wakeup_.has_value();
    wakeup_.reset();
  }
  if (was_set) tell_of_change();
  return was_set;
}

std::optional<WallTime> SharedSchedule::next_due() {
  const std::lock_guard lock(mutex_);
  look_at_durable();
  std::optional<UtcSeconds> first = own_.next_due(parts_.offset);
  const auto take = [&](std::optional<UtcSeconds> other) {
    if (other && (!first || *other < *first)) first = other;
  };
  take(durable_.next_due(parts_.offset));
  if (wakeup_) take(wakeup_->at);
  if (!first) return std::nullopt;
  return WallTime(std::chrono::seconds(*first));
}

void SharedSchedule::add_due(const DuePrompt& due, std::vector<PromptDue>& into) {
  std::string missed;
  if (due.missed > 0) {
    missed = "it was due " + times(due.missed) + " while nobody was there to run it";
    if (due.times == 0) missed += ", last on " + shown_time(due.due);
  }
  if (!due.runs_now) {
    notices_.push_back("The scheduled prompt " + due.id + ": " + missed + ". It runs again at its next time" +
                       (due.is_last ? ", but its days are over." : "."));
    return;
  }
  std::string head = "Scheduled prompt " + due.id + ", due on " + shown_time(due.due);
  if (!missed.empty()) head += "; " + missed;
  if (due.times > 1) head += "; " + times(due.times) + " in all since the last run";
  if (due.is_last) head += "; this was its last time";
  into.push_back({.id = due.id, .prompt = "[" + head + "]\n" + due.prompt});
}

std::vector<PromptDue> SharedSchedule::take_due() {
  const std::lock_guard lock(mutex_);
  look_at_durable();
  const UtcSeconds at = now();
  std::vector<PromptDue> all;
  for (const DuePrompt& due : own_.take_due(at, since_, parts_.offset)) add_due(due, all);
  if (const auto next = durable_.next_due(parts_.offset); next && *next <= at) {
    std::vector<DuePrompt> taken;
    const auto changed = change_durable([&](Schedule& schedule) -> Result<void> {
      taken = schedule.take_due(at, since_, parts_.offset);
      return {};
    });
    // What could not be written down would be given again and again.
    if (!changed) {
      notices_.push_back(changed.error().message);
      durable_ = {};
    }
    for (const DuePrompt& due : taken) {
      if (changed) add_due(due, all);
    }
  }
  if (wakeup_ && wakeup_->at <= at) {
    const std::string reason = wakeup_->reason.empty() ? "" : ": " + wakeup_->reason;
    all.push_back({.id = std::string(kWakeupId), .prompt = "[Wake-up" + reason + "]\n" + wakeup_->prompt});
    wakeup_.reset();
  }
  return all;
}

std::vector<std::string> SharedSchedule::take_notices() {
  const std::lock_guard lock(mutex_);
  look_at_durable();
  return std::exchange(notices_, {});
}

}  // namespace deft
