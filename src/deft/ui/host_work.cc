#include "deft/ui/host_work.h"

#include <algorithm>
#include <utility>

namespace deft {

void HostWork::start(const std::string& id, Work work) {
  std::list<Running> ended;
  {
    const std::lock_guard lock(mutex_);
    if (std::erase(not_wanted_, id) > 0) return;  // taken back while it was being looked at
    end_under_way(id);
    for (auto at = running_.begin(); at != running_.end();) {
      const auto next = std::next(at);
      if (at->is_done) ended.splice(ended.end(), running_, at);
      at = next;
    }
    if (running_.size() < kHostWorkMax) {
      Running& added = running_.emplace_back(Running{.id = id, .thread = {}});
      added.thread = std::jthread(
          [this, &added, work = std::move(work)](const std::stop_token& stop) { carry_out(added, work, stop); });
      return;
    }
  }
  port_.refuse(id, "too many requests are under way");
}

void HostWork::carry_out(Running& running, const Work& work, const std::stop_token& stop) {
  auto answer = work(stop);
  std::string id;
  bool is_wanted = false;
  {
    const std::lock_guard lock(mutex_);
    id = running.id;
    is_wanted = running.is_wanted;
    running.is_done = true;
  }
  if (!is_wanted) return;
  if (!answer) return port_.refuse(id, answer.error().message);
  port_.answer(id, std::move(*answer));
}

// Under mutex_.
bool HostWork::end_under_way(const std::string& id) {
  bool was_under_way = false;
  for (Running& running : running_) {
    if (running.id != id || running.is_done) continue;
    running.is_wanted = false;
    was_under_way = running.thread.request_stop();
  }
  return was_under_way;
}

void HostWork::cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (end_under_way(id)) return;
  if (not_wanted_.size() >= kHostWorkMax) not_wanted_.pop_front();
  not_wanted_.push_back(id);
}

bool HostWork::was_cancelled(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return std::erase(not_wanted_, id) > 0;
}

void HostWork::stop() {
  std::list<Running> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(running_);
  }
  for (Running& running : all) running.thread.request_stop();
}  // and waits for them

}  // namespace deft
