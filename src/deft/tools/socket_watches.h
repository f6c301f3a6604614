#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/result.h"
#include "deft/os/web_socket_link.h"

namespace deft {

inline constexpr std::size_t kSocketWatchesMax = 20;

// WebSockets that are listened to with nobody waiting, each on a thread of its own, which gets no signals.
class SocketWatches {
 public:
  // How one ended, in words for the model; `error` says why it is not simply over.
  struct End {
    std::optional<Errc> error = std::nullopt;
    std::string how;
  };
  struct Watch {
    std::vector<WebSocketPlace> places;  // of one server, to be tried in this order
    std::optional<TimePoint> deadline;
    std::function<void(const SocketMessage&)> told;  // of texts and binary messages, one at a time
    std::function<void(const End&)> ended;           // once, last; not if nothing was begun
  };

  explicit SocketWatches(OpenWebSocket open) : open_(std::move(open)) {}
  ~SocketWatches();  // ends them all
  SocketWatches(const SocketWatches&) = delete;
  SocketWatches& operator=(const SocketWatches&) = delete;

  // A connection that is open and waits to be listened to.
  class Opened {
   public:
    // From now on it is listened to. Whoever does not call this lets it go.
    void begin();
    std::function<void()> stopper() const;  // asks it to end; returns at once
    ~Opened();
    Opened(Opened&&) = default;
    Opened& operator=(Opened&&) = delete;

   private:
    friend class SocketWatches;
    struct State;
    explicit Opened(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
  };
  // Connects; waits for that, and no longer than `stop` allows.
  Result<Opened> open(Watch watch, std::stop_token stop);

 private:
  struct Thread {
    std::shared_ptr<Opened::State> state;
    std::jthread thread;
  };
  static void work(Opened::State& state, const Watch& watch, const OpenWebSocket& open, const std::stop_token& stop);

  const OpenWebSocket open_;
  std::mutex mutex_;
  std::list<Thread> threads_;  // under mutex_
};

}  // namespace deft
