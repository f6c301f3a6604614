#pragma once

#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/ui/control_port.h"

namespace deft {

inline constexpr std::size_t kHostWorkMax = 100;  // requests under way at once

// Requests of a host that wait for somebody else, such as an MCP server: each on a thread of its own, answered when it
// is done. Any thread may call.
class HostWork {
 public:
  using Work = std::function<Result<JsonObject>(const std::stop_token& stop)>;
  explicit HostWork(ControlPort& port) : port_(port) {}
  ~HostWork() { stop(); }
  HostWork(const HostWork&) = delete;
  HostWork& operator=(const HostWork&) = delete;

  // One that came before with the same id is cancelled: a request has one answer.
  void start(const std::string& id, Work work);
  // The host does not want it any more, and gets no answer. It may still wait for its moment: then was_cancelled()
  // says so, once.
  void cancel(const std::string& id);
  bool was_cancelled(const std::string& id);
  // All of it ends, and is waited for.
  void stop();

 private:
  struct Running {
    std::string id;
    bool is_wanted = true;
    bool is_done = false;
    std::jthread thread;
  };
  bool end_under_way(const std::string& id);
  void carry_out(Running& running, const Work& work, const std::stop_token& stop);

  ControlPort& port_;
  std::mutex mutex_;
  std::list<Running> running_;          // under mutex_; a thread keeps its own entry until it is done
  std::deque<std::string> not_wanted_;  // under mutex_; of what was not under way, the last few
};

}  // namespace deft
