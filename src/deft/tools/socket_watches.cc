#include "deft/tools/socket_watches.h"

#include <signal.h>

#include <utility>

#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::size_t kReasonCharactersMax = 200;

void block_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

SocketWatches::End end_of(const Error& error) {
  switch (error.code) {
    case Errc::cancelled: return {Errc::cancelled, "stopped"};
    case Errc::timeout: return {Errc::timeout, "timed_out"};
    default: return {error.code, "failed: " + error.message};
  }
}

SocketWatches::End end_of(const SocketMessage& close) {
  constexpr std::uint16_t kDone = 1000, kGoingAway = 1001, kNotSaid = 1005;
  const std::string code = close.close_code == kNotSaid ? "" : " with code " + std::to_string(close.close_code);
  const std::string reason = one_line(close.payload, kReasonCharactersMax);
  const std::string how = "the server closed it" + code + (reason.empty() ? "" : " (" + reason + ")");
  const bool is_good = close.close_code == kDone || close.close_code == kGoingAway || close.close_code == kNotSaid;
  return {is_good ? std::nullopt : std::optional(Errc::failed), how};
}

}  // namespace

struct SocketWatches::Opened::State {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::optional<Result<void>> opened;  // under mutex
  bool may_begin = false;              // under mutex
  bool is_over = false;                // under mutex; the thread is on its way out
  std::stop_source stop;
};

void SocketWatches::Opened::begin() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->may_begin = true;
  }
  state_->changed.notify_all();
  state_.reset();
}

std::function<void()> SocketWatches::Opened::stopper() const {
  return [stop = state_->stop]() mutable { stop.request_stop(); };
}

SocketWatches::Opened::~Opened() {
  if (state_) state_->stop.request_stop();
}

SocketWatches::~SocketWatches() {
  const std::lock_guard lock(mutex_);
  for (Thread& one : threads_) one.state->stop.request_stop();  // all at once, then wait for each
  threads_.clear();
}

Result<SocketWatches::Opened> SocketWatches::open(Watch watch, std::stop_token stop) {
  auto state = std::make_shared<Opened::State>();
  {
    const std::lock_guard lock(mutex_);
    threads_.remove_if([](Thread& one) {
      const std::lock_guard of_state(one.state->mutex);
      return one.state->is_over;
    });
    if (threads_.size() >= kSocketWatchesMax) {
      return fail(Errc::limit,
                  std::to_string(kSocketWatchesMax) + " WebSockets are open already: end one by TaskStop.");
    }
    threads_.push_back({state, std::jthread([state, watch = std::move(watch), open = open_] {
                          block_signals();
                          work(*state, watch, open, state->stop.get_token());
                          const std::lock_guard of_state(state->mutex);
                          state->is_over = true;
                        })});
  }
  Opened opened(state);
  std::unique_lock lock(state->mutex);
  if (!state->changed.wait(lock, stop, [&] { return state->opened.has_value(); })) {
    return fail(Errc::cancelled, "cancelled while connecting");
  }
  if (!*state->opened) return std::unexpected(state->opened->error());
  lock.unlock();
  return opened;
}

void SocketWatches::work(Opened::State& state, const Watch& watch, const OpenWebSocket& open,
                         const std::stop_token& stop) {
  Result<std::unique_ptr<WebSocketLink>> link = fail(Errc::io, "not tried");
  for (const WebSocketPlace& place : watch.places) {
    link = open(place, stop);
    const bool unreachable = !link && (link.error().code == Errc::io || link.error().code == Errc::timeout);
    if (!unreachable) break;
  }
  {
    std::unique_lock lock(state.mutex);
    state.opened = link ? Result<void>() : std::unexpected(link.error());
    state.changed.notify_all();
    if (!link || !state.changed.wait(lock, stop, [&] { return state.may_begin; })) return;
  }
  while (true) {
    const auto message = (*link)->next(watch.deadline, stop);
    const bool is_close = message && message->opcode == SocketOpcode::close;
    if (message && !is_close) {
      watch.told(*message);
      continue;
    }
    const End end = message ? end_of(*message) : end_of(message.error());
    link->reset();
    return watch.ended(end);
  }
}

}  // namespace deft
