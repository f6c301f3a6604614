#include "deft/os/curl_http_client.h"

#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <utility>
#include <vector>

#include "deft/base/check.h"
#include "deft/os/curl_library.h"
#include "deft/os/curl_transfer.h"

// The shape: start() and cancel() put a transfer into the inbox and wake the thread; the thread alone speaks to libcurl
// and to receivers. It sleeps in curl_multi_poll, which the inbox's waker interrupts, so a cancel never waits for a
// byte of the network.

namespace deft {
namespace {

using Transfers = std::vector<std::shared_ptr<CurlTransfer>>;

constexpr std::chrono::milliseconds kSleepMax = std::chrono::hours(1);

// Signals are for the program's own threads; and a write to a connection that the server closed must not be one.
void block_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

std::unexpected<Error> was_cancelled() { return fail(Errc::cancelled, "the transfer was cancelled"); }

}  // namespace

class CurlHttpClient::Inbox {
 public:
  struct News {
    Transfers arriving;
    Transfers leaving;
    bool over = false;
  };

  void add(std::shared_ptr<CurlTransfer> transfer) {
    const std::lock_guard lock(mutex_);
    news_.arriving.push_back(std::move(transfer));
    wake();
  }
  void remove(std::shared_ptr<CurlTransfer> transfer) {
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
    return take_locked();
  }
  News wait() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return news_.over || !news_.arriving.empty() || !news_.leaving.empty(); });
    return take_locked();
  }
  // What else is to be woken; nullptr: nothing any more.
  void set_waker(const CurlLibrary* curl, CURLM* multi) {
    const std::lock_guard lock(mutex_);
    curl_ = curl;
    multi_ = multi;
  }

 private:
  void wake() {
    if (multi_) curl_->multi_wakeup(multi_);
    arrived_.notify_one();
  }
  News take_locked() { return News{std::exchange(news_.arriving, {}), std::exchange(news_.leaving, {}), news_.over}; }

  std::mutex mutex_;
  std::condition_variable arrived_;
  News news_;                          // under mutex_
  const CurlLibrary* curl_ = nullptr;  // under mutex_
  CURLM* multi_ = nullptr;             // under mutex_
};

namespace {

using Inbox = CurlHttpClient::Inbox;

// The thread's own.
class TransferLoop {
 public:
  TransferLoop(const CurlLibrary& curl, const HttpNetwork& network, Inbox& inbox)
      : curl_(curl), network_(network), inbox_(inbox), multi_(curl.multi_init()) {
    DEFT_CHECK(multi_ != nullptr);
    inbox_.set_waker(&curl_, multi_);
  }
  ~TransferLoop() {
    inbox_.set_waker(nullptr, nullptr);
    curl_.multi_cleanup(multi_);
  }

  void run() {
    while (true) {
      Inbox::News news = inbox_.take();
      for (auto& transfer : news.arriving) begin(std::move(transfer));
      for (const auto& transfer : news.leaving) end(transfer.get(), was_cancelled());
      if (news.over) break;

      int running = 0;
      curl_.multi_perform(multi_, &running);
      read_outcomes();
      end_overdue();
      curl_.multi_poll(multi_, nullptr, 0, sleep_ms(), nullptr);
    }
    while (!active_.empty()) end(active_.back().get(), was_cancelled());
  }

 private:
  void begin(std::shared_ptr<CurlTransfer> transfer) {
    const auto handle = transfer->begin(curl_, network_);
    if (!handle) return transfer->finish(std::unexpected(handle.error()));
    curl_.multi_add_handle(multi_, *handle);
    active_.push_back(std::move(transfer));
  }

  // Of a transfer that has ended before, nothing.
  void end(const CurlTransfer* transfer, Result<void> result) {
    const auto found = std::ranges::find(active_, transfer, &std::shared_ptr<CurlTransfer>::get);
    if (found == active_.end()) return;
    const std::shared_ptr<CurlTransfer> ended = std::move(*found);
    *found = std::move(active_.back());
    active_.pop_back();
    curl_.multi_remove_handle(multi_, ended->handle());
    ended->finish(std::move(result));
  }

  void read_outcomes() {
    int left = 0;
    while (const CURLMsg* message = curl_.multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      void* self = nullptr;
      curl_.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &self);
      const auto* transfer = static_cast<const CurlTransfer*>(self);
      end(transfer, transfer->outcome(message->data.result));
    }
  }

  void end_overdue() {
    const TimePoint now = clock_.now();
    const Transfers all = active_;
    for (const auto& transfer : all) {
      if (auto error = transfer->overdue(now)) end(transfer.get(), std::unexpected(std::move(*error)));
    }
  }

  int sleep_ms() const {
    const TimePoint now = clock_.now();
    auto sleep = kSleepMax;
    for (const auto& transfer : active_) {
      const auto deadline = transfer->next_deadline();
      if (!deadline) continue;
      // Rounded up: a millisecond too early would only mean to look again.
      sleep = std::min(sleep, std::chrono::ceil<std::chrono::milliseconds>(*deadline - now));
    }
    return static_cast<int>(std::max(sleep, std::chrono::milliseconds(0)).count());
  }

  const CurlLibrary& curl_;
  const HttpNetwork& network_;
  Inbox& inbox_;
  CURLM* multi_;
  SystemClock clock_;
  Transfers active_;
};

void fail_all(Inbox& inbox, const Error& error) {
  while (true) {
    const Inbox::News news = inbox.wait();
    for (const auto& transfer : news.arriving) transfer->finish(std::unexpected(error));
    if (news.over) return;
  }
}

class TransferHandle final : public HttpTransfer {
 public:
  TransferHandle(std::shared_ptr<Inbox> inbox, std::shared_ptr<CurlTransfer> transfer)
      : inbox_(std::move(inbox)), transfer_(std::move(transfer)) {}
  ~TransferHandle() override { cancel(); }
  void cancel() override { inbox_->remove(transfer_); }

 private:
  const std::shared_ptr<Inbox> inbox_;
  const std::shared_ptr<CurlTransfer> transfer_;
};

}  // namespace

CurlHttpClient::CurlHttpClient(HttpNetwork network) : network_(std::move(network)), inbox_(std::make_shared<Inbox>()) {}

CurlHttpClient::~CurlHttpClient() {
  inbox_->end();
  if (thread_.joinable()) thread_.join();
}

void CurlHttpClient::need_thread() {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) return;
  thread_ = std::jthread([this] {
    block_signals();
    const auto curl = load_curl();
    if (!curl) return fail_all(*inbox_, curl.error());
    TransferLoop(**curl, network_, *inbox_).run();
  });
}

std::unique_ptr<HttpTransfer> CurlHttpClient::start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver) {
  DEFT_CHECK(receiver != nullptr);
  auto transfer = std::make_shared<CurlTransfer>(std::move(request), std::move(receiver));
  inbox_->add(transfer);
  need_thread();
  return std::make_unique<TransferHandle>(inbox_, std::move(transfer));
}

void CurlHttpClient::connect_ahead(const std::string& url) {
  // Over plain HTTP (a server on this machine, as a rule) libcurl would not use the connection again, and making one
  // costs nothing that is worth saving; loading libcurl does.
  if (url.starts_with("https:")) inbox_->add(std::make_shared<CurlTransfer>(HttpRequest{.url = url}, nullptr));
  need_thread();
}

}  // namespace deft
