#include "deft/os/http_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "deft/os/poll_until.h"
#include "deft/os/unique_fd.h"

// One thread, poll(), sockets that never block. What an answer says goes into its exchange, under a lock, from any
// thread; the server's thread sends as much of it as the client takes. A connection carries one exchange at a time.

namespace deft {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::size_t kReadAheadBytesMax = std::size_t{256} << 10;  // of requests that wait for the answer before them
constexpr Duration kDrainTimeout = std::chrono::seconds(2);
constexpr int kBacklog = 128;

// Wakes the server's thread. Outlives the server as long as somebody may answer.
class Waker {
 public:
  Waker() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  explicit operator bool() const { return static_cast<bool>(event_); }
  int fd() const { return event_.get(); }
  void wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(event_.get(), &one, sizeof one);
  }
  void clear() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto read = ::read(event_.get(), &count, sizeof count);
  }

 private:
  UniqueFd event_;
};

class Exchange final : public HttpAnswer {
 public:
  Exchange(std::shared_ptr<Waker> waker, std::size_t unsent_bytes_max, bool keeps_alive, bool is_head)
      : waker_(std::move(waker)), unsent_bytes_max_(unsent_bytes_max), keeps_alive_(keeps_alive), is_head_(is_head) {}

  void send(int status, HttpFields fields, std::string body) override {
    const std::lock_guard lock(mutex_);
    if (gone_ || began_) return;
    began_ = ended_ = true;
    const bool has_body = status != 204 && status != 304;
    if (has_body) fields.emplace_back("Content-Length", std::to_string(body.size()));
    if (!keeps_alive_) fields.emplace_back("Connection", "close");
    unsent_ += http_head(status, fields);
    if (has_body && !is_head_) unsent_ += body;
    waker_->wake();
  }

  void begin(int status, HttpFields fields) override {
    const std::lock_guard lock(mutex_);
    if (gone_ || began_) return;
    began_ = true;
    fields.emplace_back("Transfer-Encoding", "chunked");
    if (!keeps_alive_) fields.emplace_back("Connection", "close");
    unsent_ += http_head(status, fields);
    waker_->wake();
  }

  bool write(std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    if (gone_ || !began_ || ended_) return false;
    if (unsent_.size() - sent_ + bytes.size() > unsent_bytes_max_) {
      too_slow_ = true;
      waker_->wake();
      return false;
    }
    if (!is_head_) unsent_ += http_chunk(bytes);
    waker_->wake();
    return true;
  }

  void end() override {
    const std::lock_guard lock(mutex_);
    if (gone_ || !began_ || ended_) return;
    ended_ = true;
    if (!is_head_) unsent_ += kHttpLastChunk;
    waker_->wake();
  }

  void when_gone(std::function<void()> told) override {
    {
      const std::lock_guard lock(mutex_);
      if (!gone_) {
        if (!ended_) told_.push_back(std::move(told));
        return;
      }
    }
    told();
  }

  // --- of the server's thread ---

  struct Sent {
    bool broke = false;       // the connection is of no use any more
    bool has_ended = false;   // all of it was sent
    bool has_unsent = false;  // the client must read first
    std::size_t bytes = 0;
  };
  Sent send_to(int socket) {
    const std::lock_guard lock(mutex_);
    Sent result;
    if (too_slow_) return {.broke = true};
    while (sent_ < unsent_.size()) {
      const auto count = ::send(socket, unsent_.data() + sent_, unsent_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
      if (count <= 0) return {.broke = true};
      sent_ += static_cast<std::size_t>(count);
      result.bytes += static_cast<std::size_t>(count);
    }
    if (sent_ == unsent_.size() || sent_ > kReadAheadBytesMax) {
      unsent_.erase(0, sent_);
      sent_ = 0;
    }
    result.has_unsent = !unsent_.empty();
    result.has_ended = ended_ && !result.has_unsent;
    if (result.has_ended) told_.clear();
    return result;
  }

  void client_has_gone() {
    std::vector<std::function<void()>> all;
    {
      const std::lock_guard lock(mutex_);
      gone_ = true;
      unsent_ = {};
      sent_ = 0;
      all = std::exchange(told_, {});
    }
    for (const auto& told : all) told();
  }

 private:
  const std::shared_ptr<Waker> waker_;
  const std::size_t unsent_bytes_max_;
  const bool keeps_alive_;
  const bool is_head_;
  std::mutex mutex_;
  // All under mutex_.
  std::string unsent_;
  std::size_t sent_ = 0;  // of it
  bool began_ = false;
  bool ended_ = false;
  bool gone_ = false;
  bool too_slow_ = false;
  std::vector<std::function<void()>> told_;
};

struct Connection {
  Connection(UniqueFd its_socket, const HttpReadLimits& limits, TimePoint now)
      : socket(std::move(its_socket)), reader(limits), since(now) {}
  UniqueFd socket;
  HttpRequestReader reader;
  std::string ahead;                   // bytes of later requests
  std::shared_ptr<Exchange> exchange;  // that is being answered; null: none
  bool closes = false;                 // after this answer
  bool is_admitted = false;            // the body of the request that is being read is wanted
  bool has_unsent = false;
  bool drains = false;  // answered for good: what still comes is thrown away, so that the answer is not
  TimePoint since;      // when what it is at now began: waiting, a request, an answer that nobody reads
};

class PollHttpServer final : public HttpServer {
 public:
  PollHttpServer(HttpServerOptions options, const Clock& clock, HttpHandler handler, UniqueFd listener,
                 std::uint16_t port)
      : options_(std::move(options)),
        clock_(clock),
        handler_(std::move(handler)),
        listener_(std::move(listener)),
        port_(port),
        thread_([this](const std::stop_token& stop) { serve(stop); }) {}

  ~PollHttpServer() override {
    thread_.request_stop();
    waker_->wake();
    thread_.join();
    for (Connection& connection : connections_) leave(connection);
  }

  std::uint16_t port() const override { return port_; }
  std::size_t connections() const override { return open_; }

 private:
  void serve(const std::stop_token& stop) {
    std::vector<pollfd> watched;
    while (!stop.stop_requested()) {
      watched.clear();
      watched.push_back({waker_->fd(), POLLIN, 0});
      watched.push_back({listener_.get(), POLLIN, 0});
      for (const Connection& connection : connections_) {
        short events = POLLRDHUP;
        if (connection.ahead.size() < kReadAheadBytesMax) events |= POLLIN;
        if (connection.has_unsent) events |= POLLOUT;
        watched.push_back({connection.socket.get(), events, 0});
      }
      poll_until(watched, clock_, next_deadline());
      if (watched[0].revents != 0) waker_->clear();
      std::size_t at = 2;
      for (auto connection = connections_.begin(); connection != connections_.end();) {
        const short happened = watched[at++].revents;
        if (attend(*connection, happened)) {
          ++connection;
        } else {
          leave(*connection);
          connection = connections_.erase(connection);
        }
      }
      if (watched[1].revents != 0) accept_all();
      open_ = connections_.size();
    }
  }

  Duration patience(const Connection& connection) const {
    if (connection.drains) return kDrainTimeout;
    if (connection.has_unsent) return options_.stalled_timeout;
    if (!connection.reader.has_begun()) return options_.idle_timeout;
    return connection.reader.is_in_head() ? std::min(options_.head_timeout, options_.request_timeout)
                                          : options_.request_timeout;
  }

  // Somebody is at work for the client: that may take as long as it takes.
  static bool waits_for_us(const Connection& connection) { return connection.exchange && !connection.has_unsent; }

  std::optional<TimePoint> next_deadline() const {
    std::optional<TimePoint> next;
    for (const Connection& connection : connections_) {
      if (waits_for_us(connection)) continue;
      const TimePoint due = connection.since + patience(connection);
      if (!next || due < *next) next = due;
    }
    return next;
  }

  void accept_all() {
    for (;;) {
      UniqueFd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!socket) return;
      if (connections_.size() >= options_.connections_max) {
        static constexpr std::string_view kFull =
            "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\nRetry-After: 1\r\n\r\n";
        [[maybe_unused]] const auto sent =
            ::send(socket.get(), kFull.data(), kFull.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        continue;
      }
      const int on = 1;
      ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      connections_.emplace_back(std::move(socket), options_.limits, clock_.now());
    }
  }

  // False: it is over.
  bool attend(Connection& connection, short happened) {
    if ((happened & (POLLERR | POLLNVAL)) != 0) return false;
    const bool hung_up = (happened & (POLLHUP | POLLRDHUP)) != 0;
    if (hung_up && connection.ahead.size() >= kReadAheadBytesMax) return false;  // it will not be read any more
    if ((hung_up || (happened & POLLIN) != 0) && !read_from(connection)) return false;
    for (;;) {
      if (!go_on_reading(connection)) return false;
      if (!connection.exchange) break;
      const Exchange::Sent sent = connection.exchange->send_to(connection.socket.get());
      if (sent.broke) return false;
      if (sent.bytes > 0 || connection.has_unsent != sent.has_unsent) connection.since = clock_.now();
      connection.has_unsent = sent.has_unsent;
      if (!sent.has_ended) break;
      connection.exchange = nullptr;
      connection.since = clock_.now();
      if (connection.closes) begin_to_drain(connection);
    }
    return waits_for_us(connection) || clock_.now() < connection.since + patience(connection);
  }

  static void begin_to_drain(Connection& connection) {
    connection.drains = true;
    connection.ahead.clear();
    ::shutdown(connection.socket.get(), SHUT_WR);
  }

  bool read_from(Connection& connection) {
    std::array<char, kReadBytes> buffer;
    while (connection.ahead.size() < kReadAheadBytesMax) {
      const ReadOnce read = read_once(connection.socket.get(), buffer);
      if (read.state == ReadOnce::State::ended) return false;  // also of an answer: whoever hangs up wants none
      if (read.state == ReadOnce::State::nothing_yet) return true;
      if (connection.drains) continue;
      const bool is_first = !connection.reader.has_begun() && connection.ahead.empty() && !connection.exchange;
      if (is_first) connection.since = clock_.now();
      connection.ahead.append(buffer.data(), read.bytes);
      if (!go_on_reading(connection)) return false;
    }
    return true;
  }

  bool go_on_reading(Connection& connection) {
    if (connection.exchange || connection.drains || connection.ahead.empty()) return true;
    const std::size_t used = connection.reader.feed(connection.ahead);
    connection.ahead.erase(0, used);
    if (!is_admitted(connection)) return answer_without_body(connection);
    if (connection.reader.take_expects_continue() && connection.ahead.empty() && !connection.reader.is_complete()) {
      static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
      [[maybe_unused]] const auto sent =
          ::send(connection.socket.get(), kGoOn.data(), kGoOn.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    if (const auto& fault = connection.reader.fault()) {
      connection.closes = true;
      connection.ahead.clear();
      connection.exchange = std::make_shared<Exchange>(waker_, options_.unsent_bytes_max, false, false);
      connection.exchange->send(fault->status, {{"Content-Type", "text/plain; charset=utf-8"}}, fault->message + "\n");
      return true;
    }
    if (!connection.reader.is_complete()) return true;
    ReadRequest request = connection.reader.take();
    connection.is_admitted = false;
    connection.closes = !request.keeps_alive;
    connection.exchange =
        std::make_shared<Exchange>(waker_, options_.unsent_bytes_max, request.keeps_alive, request.method == "HEAD");
    handler_(std::move(request), connection.exchange);
    return true;
  }

  bool is_admitted(Connection& connection) const {
    const ReadRequest* head = connection.reader.head();
    if (head == nullptr || connection.is_admitted || connection.reader.is_complete() || !options_.takes_body)
      return true;
    connection.is_admitted = options_.takes_body(*head);
    return connection.is_admitted;
  }

  bool answer_without_body(Connection& connection) {
    ReadRequest request = *connection.reader.head();
    request.body.clear();
    request.keeps_alive = false;
    connection.reader = HttpRequestReader(options_.limits);
    connection.ahead.clear();
    connection.closes = true;
    connection.exchange =
        std::make_shared<Exchange>(waker_, options_.unsent_bytes_max, false, request.method == "HEAD");
    handler_(std::move(request), connection.exchange);
    return true;
  }

  static void leave(Connection& connection) {
    if (connection.exchange) std::exchange(connection.exchange, nullptr)->client_has_gone();
  }

  const HttpServerOptions options_;
  const Clock& clock_;
  const HttpHandler handler_;
  const std::shared_ptr<Waker> waker_ = std::make_shared<Waker>();
  UniqueFd listener_;
  const std::uint16_t port_;
  std::list<Connection> connections_;  // the thread's
  std::atomic<std::size_t> open_ = 0;
  std::jthread thread_;  // last: it uses all the others
};

Error socket_error(const std::string& what) { return {Errc::failed, what + ": " + std::strerror(errno)}; }

}  // namespace

Result<std::unique_ptr<HttpServer>> start_http_server(HttpServerOptions options, const Clock& clock,
                                                      HttpHandler handler) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  auto* ip4 = reinterpret_cast<sockaddr_in*>(&storage);
  auto* ip6 = reinterpret_cast<sockaddr_in6*>(&storage);
  if (::inet_pton(AF_INET, options.address.c_str(), &ip4->sin_addr) == 1) {
    ip4->sin_family = AF_INET;
    ip4->sin_port = htons(options.port);
    size = sizeof *ip4;
  } else if (::inet_pton(AF_INET6, options.address.c_str(), &ip6->sin6_addr) == 1) {
    ip6->sin6_family = AF_INET6;
    ip6->sin6_port = htons(options.port);
    size = sizeof *ip6;
  } else {
    return fail(Errc::invalid_input, options.address + " is no address to listen on: write 127.0.0.1 or ::1");
  }
  UniqueFd listener(::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener) return std::unexpected(socket_error("no socket could be opened"));
  const int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&storage), size) != 0) {
    return std::unexpected(socket_error("cannot listen on " + options.address + ":" + std::to_string(options.port)));
  }
  if (::listen(listener.get(), kBacklog) != 0) return std::unexpected(socket_error("cannot listen"));
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&storage), &size) != 0) {
    return std::unexpected(socket_error("cannot listen"));
  }
  const std::uint16_t port = ntohs(storage.ss_family == AF_INET ? ip4->sin_port : ip6->sin6_port);
  return std::make_unique<PollHttpServer>(std::move(options), clock, std::move(handler), std::move(listener), port);
}

}  // namespace deft
