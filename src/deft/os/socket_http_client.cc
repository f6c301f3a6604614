#include "deft/os/socket_http_client.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>
#include <vector>

#include "deft/base/check.h"
#include "deft/os/socket_transfer.h"

// The shape: start() sends what it can and puts the transfer into the inbox, cancel() puts it there to be ended; the
// thread alone speaks to receivers. It sleeps in poll(), which the inbox's event interrupts.

namespace deft {
namespace {

using Transfers = std::vector<std::shared_ptr<SocketTransfer>>;

constexpr std::size_t kKeptConnectionsMax = 64;

std::unexpected<Error> was_cancelled() { return fail(Errc::cancelled, "the transfer was cancelled"); }

// Silent and open, or still being opened. A server that hung up, or speaks unasked, is nobody to send the next request
// to.
bool is_alive(int socket) {
  char byte;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace

// Connections that wait for their next request, by whom they lead to.
class SocketHttpClient::Connections {
 public:
  void keep(const std::string& key, UniqueFd socket) {
    const std::lock_guard lock(mutex_);
    while (kept_.size() >= kKeptConnectionsMax) kept_.erase(kept_.begin());
    kept_.emplace(key, std::move(socket));
  }
  // The one used last; nothing: there is none that would do.
  UniqueFd take(const std::string& key) {
    const std::lock_guard lock(mutex_);
    while (true) {
      auto [first, last] = kept_.equal_range(key);
      if (first == last) return {};
      UniqueFd socket = std::move(std::prev(last)->second);
      kept_.erase(std::prev(last));
      if (is_alive(socket.get())) return socket;
    }
  }

 private:
  std::mutex mutex_;
  std::multimap<std::string, UniqueFd> kept_;  // under mutex_
};

class SocketHttpClient::Inbox {
 public:
  struct News {
    Transfers arriving;
    Transfers leaving;
    bool over = false;
  };

  Inbox() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  int event() const { return event_.get(); }
  void add(std::shared_ptr<SocketTransfer> transfer) {
    const std::lock_guard lock(mutex_);
    news_.arriving.push_back(std::move(transfer));
    wake();
  }
  void remove(std::shared_ptr<SocketTransfer> transfer) {
    const std::lock_guard lock(mutex_);
    if (news_.over) return;
    news_.leaving.push_back(std::move(transfer));
    wake();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    news_.over = true;
    wake();
  }
  News take() {
    const std::lock_guard lock(mutex_);
    std::uint64_t count;
    [[maybe_unused]] const ssize_t read = ::read(event_.get(), &count, sizeof count);
    return News{std::exchange(news_.arriving, {}), std::exchange(news_.leaving, {}), news_.over};
  }

 private:
  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof one);
  }

  const UniqueFd event_;
  std::mutex mutex_;
  News news_;  // under mutex_
};

namespace {

// The thread's own.
class TransferLoop {
 public:
  explicit TransferLoop(SocketHttpClient::Inbox& inbox) : inbox_(inbox) {}

  void run() {
    watched_.push_back({.fd = inbox_.event(), .events = POLLIN, .revents = 0});
    while (true) {
      if (watched_[0].revents != 0 || is_first_) {
        is_first_ = false;
        SocketHttpClient::Inbox::News news = inbox_.take();
        for (auto& transfer : news.arriving) active_.push_back(std::move(transfer));
        for (const auto& transfer : news.leaving) cancel(transfer);
        if (news.over) break;
      }
      end_what_is_over();
      wait();
    }
    for (const auto& transfer : std::exchange(active_, {})) {
      transfer->finish(transfer->is_over() ? transfer->outcome() : was_cancelled());
    }
  }

 private:
  void wait() {
    watched_.resize(1);
    for (const auto& transfer : active_) {
      watched_.push_back({.fd = transfer->socket(), .events = transfer->awaited_events(), .revents = 0});
    }
    ::poll(watched_.data(), watched_.size(), sleep_ms());
    for (std::size_t i = 0; i < active_.size(); ++i) {
      if (watched_[i + 1].revents != 0) active_[i]->advance();
    }
    const TimePoint now = clock_.now();
    for (const auto& transfer : active_) {
      if (!transfer->is_over()) transfer->end_if_overdue(now);
    }
  }

  // Of a transfer that has ended before, nothing.
  void cancel(const std::shared_ptr<SocketTransfer>& transfer) {
    if (std::erase(active_, transfer) > 0) transfer->finish(was_cancelled());
  }

  void end_what_is_over() {
    Transfers over;
    std::erase_if(active_, [&](const auto& transfer) {
      if (transfer->is_over()) over.push_back(transfer);
      return transfer->is_over();
    });
    for (const auto& transfer : over) transfer->finish(transfer->outcome());
  }

  int sleep_ms() const {
    std::optional<TimePoint> next;
    for (const auto& transfer : active_) {
      const auto deadline = transfer->next_deadline();
      if (deadline && (!next || *deadline < *next)) next = deadline;
    }
    if (!next) return -1;
    // Rounded up: a millisecond too early would only mean to look again.
    const auto sleep = std::chrono::ceil<std::chrono::milliseconds>(*next - clock_.now());
    return static_cast<int>(std::clamp<std::int64_t>(sleep.count(), 0, 3'600'000));
  }

  SocketHttpClient::Inbox& inbox_;
  const SystemClock clock_;
  bool is_first_ = true;
  Transfers active_;
  std::vector<pollfd> watched_;  // the inbox, then active_ in its order
};

class TransferHandle final : public HttpTransfer {
 public:
  TransferHandle(std::shared_ptr<SocketHttpClient::Inbox> inbox, std::shared_ptr<SocketTransfer> transfer)
      : inbox_(std::move(inbox)), transfer_(std::move(transfer)) {}
  ~TransferHandle() override { cancel(); }
  void cancel() override { inbox_->remove(transfer_); }

 private:
  const std::shared_ptr<SocketHttpClient::Inbox> inbox_;
  const std::shared_ptr<SocketTransfer> transfer_;
};

// One that its caller keeps going: no other thread knows of it.
class PumpedTransfer final : public HttpTransfer, public Pump {
 public:
  explicit PumpedTransfer(std::unique_ptr<SocketTransfer> transfer) : transfer_(std::move(transfer)) {}
  ~PumpedTransfer() override { cancel(); }

  void cancel() override {
    if (!std::exchange(is_finished_, true)) transfer_->finish(was_cancelled());
  }
  Pump* pump() override { return this; }

  int descriptor() const override { return is_finished_ ? -1 : transfer_->socket(); }
  short events() const override { return transfer_->awaited_events(); }
  std::optional<TimePoint> deadline() const override {
    if (is_finished_) return std::nullopt;
    return transfer_->is_over() ? TimePoint::min() : transfer_->next_deadline();  // it may have failed at once
  }
  bool has_more() const override { return !is_finished_ && !transfer_->is_over() && transfer_->has_more(); }
  void advance() override {
    if (is_finished_) return;
    if (!transfer_->is_over()) transfer_->advance();
    if (!transfer_->is_over()) transfer_->end_if_overdue(clock_.now());
    if (transfer_->is_over() && !std::exchange(is_finished_, true)) transfer_->finish(transfer_->outcome());
  }

 private:
  const SystemClock clock_;
  const std::unique_ptr<SocketTransfer> transfer_;
  bool is_finished_ = false;
};

}  // namespace

SocketHttpClient::SocketHttpClient()
    : connections_(std::make_shared<Connections>()), inbox_(std::make_shared<Inbox>()) {}

SocketHttpClient::~SocketHttpClient() {
  inbox_->end();
  if (thread_.joinable()) thread_.join();
}

bool SocketHttpClient::serves(const HttpRequest& request) { return socket_place(request).has_value(); }

void SocketHttpClient::need_thread() {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) return;
  thread_ = std::jthread([this] {
    sigset_t all;  // signals are for the program's own threads
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    TransferLoop(*inbox_).run();
  });
}

std::unique_ptr<HttpTransfer> SocketHttpClient::start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver) {
  DEFT_CHECK(receiver != nullptr);
  auto place = socket_place(request);
  DEFT_CHECK(place.has_value());
  UniqueFd kept = connections_->take(place->key());
  const bool is_pumped = request.pumped_by_caller;
  auto begun = std::make_unique<SocketTransfer>(std::move(request), std::move(receiver), std::move(*place),
                                                [connections = connections_](const std::string& key, UniqueFd socket) {
                                                  connections->keep(key, std::move(socket));
                                                });
  begun->begin(std::move(kept));
  if (is_pumped) return std::make_unique<PumpedTransfer>(std::move(begun));
  std::shared_ptr<SocketTransfer> transfer = std::move(begun);
  inbox_->add(transfer);
  need_thread();
  return std::make_unique<TransferHandle>(inbox_, std::move(transfer));
}

void SocketHttpClient::connect_ahead(const std::string& url) {
  const auto place = socket_place({.url = url});
  if (!place) return;
  if (UniqueFd socket = begin_to_connect(place->addresses.front(), place->port)) {
    connections_->keep(place->key(), std::move(socket));
  }
}

}  // namespace deft
