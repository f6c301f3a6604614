#include "deft/os/socket_transfer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "deft/base/text.h"
#include "deft/os/http_network.h"

namespace deft {
namespace {

// Little at first: what has come can be begun with while the rest is read.
constexpr std::size_t kReceivedAtOnceFirst = std::size_t{4} << 10;
constexpr std::size_t kReceivedAtOnceMax = std::size_t{64} << 10;

bool is_address(int family, const std::string& text) {
  unsigned char bytes[sizeof(in6_addr)];
  return ::inet_pton(family, text.c_str(), bytes) == 1;
}

std::vector<std::string> addresses_of(std::string host) {
  if (host == "localhost") return {"127.0.0.1", "::1"};
  if (is_address(AF_INET, host)) return {host};
  if (!host.starts_with('[') || !host.ends_with(']')) return {};
  host = host.substr(1, host.size() - 2);
  if (!is_address(AF_INET6, host)) return {};
  return {host};
}

std::string request_head(const HttpRequest& request, const SocketPlace& place) {
  std::string head = request.method + " " + place.target + " HTTP/1.1\r\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
  };
  if (!find_header(request.headers, "Host")) add("Host", place.host);
  if (!find_header(request.headers, "User-Agent")) add("User-Agent", "deft/" DEFT_VERSION);
  if (!find_header(request.headers, "Accept")) add("Accept", "*/*");
  if (!find_header(request.headers, "Accept-Encoding"))
    add("Accept-Encoding", "identity");  // nothing here undoes another
  for (const auto& [name, value] : request.headers) add(name, value);
  if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
    add("Content-Length", std::to_string(request.body.size()));
  }
  return head + "\r\n";
}

std::string_view meaning_of(HttpAnswerReader::Fault fault) {
  switch (fault) {
    case HttpAnswerReader::Fault::no_http: return "it does not speak HTTP";
    case HttpAnswerReader::Fault::unknown_framing: return "its answer is not understood";
    case HttpAnswerReader::Fault::broke_off: return "it closed the connection";
    default: return "its answer is broken";
  }
}

}  // namespace

std::string SocketPlace::key() const { return join(addresses, " ") + " " + std::to_string(port); }

std::optional<SocketPlace> socket_place(const HttpRequest& request) {
  constexpr std::string_view kScheme = "http://";
  std::string_view rest = request.url;
  if (!rest.starts_with(kScheme)) return std::nullopt;
  rest.remove_prefix(kScheme.size());
  rest = rest.substr(0, rest.find('#'));
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  rest.remove_prefix(authority.size());

  const std::size_t bracket = authority.find(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  SocketPlace place{.host = std::string(authority), .target = (rest.starts_with('/') ? "" : "/") + std::string(rest)};
  place.addresses = addresses_of(std::string(authority.substr(0, colon)));
  if (place.addresses.empty()) return std::nullopt;
  if (colon != std::string_view::npos) {
    const std::string_view port = authority.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), place.port);
    if (error != std::errc() || end != port.data() + port.size() || place.port == 0) return std::nullopt;
  }
  if (request.address) place.addresses = {*request.address};
  return place;
}

UniqueFd begin_to_connect(const std::string& address, std::uint16_t port) {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  const bool is_v6 = address.find(':') != std::string::npos;
  UniqueFd socket(::socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return socket;
  const int yes = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  int connected = -1;
  if (is_v6) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    ::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr);
    connected = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&v6), sizeof v6);
  } else {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    ::inet_pton(AF_INET, address.c_str(), &v4.sin_addr);
    connected = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&v4), sizeof v4);
  }
  if (connected != 0 && errno != EINPROGRESS) socket.reset();
  return socket;
}

SocketTransfer::SocketTransfer(HttpRequest request, std::shared_ptr<HttpReceiver> receiver, SocketPlace place,
                               KeepConnection keep)
    : request_(std::move(request)),
      receiver_(std::move(receiver)),
      place_(std::move(place)),
      keep_(std::move(keep)),
      reader_(/*has_body=*/request_.method != "HEAD", kHttpHeadBytesMax),
      received_at_once_(kReceivedAtOnceFirst),
      began_(SystemClock().now()),
      last_activity_(began_) {}

void SocketTransfer::begin(UniqueFd kept) {
  if (auto checked = check_request(request_); !checked) {
    outcome_ = std::unexpected(checked.error());
    return;
  }
  head_ = request_head(request_, place_);
  if (!kept) return connect_next();
  socket_ = std::move(kept);
  next_address_ = 1;
  take_connected();  // it may have been opened ahead, a moment ago
}

// The next of the server's addresses; one that refuses at once is passed over here.
void SocketTransfer::connect_next() {
  int why = ECONNREFUSED;
  while (next_address_ < place_.addresses.size()) {
    socket_ = begin_to_connect(place_.addresses[next_address_++], place_.port);
    if (socket_) return take_connected();
    why = errno;
  }
  fail_with(Errc::io,
            "cannot reach " + shown_host(request_.url) + ": " + system_error(Errc::io, "connect", why).message);
}

void SocketTransfer::take_connected() {
  pollfd entry{.fd = socket_.get(), .events = POLLOUT, .revents = 0};
  if (::poll(&entry, 1, 0) == 0) return;  // still under way
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    if (next_address_ < place_.addresses.size()) return connect_next();
    return fail_with(
        Errc::io, "cannot reach " + shown_host(request_.url) + ": " + system_error(Errc::io, "connect", error).message);
  }
  state_ = State::sending;
  last_activity_ = SystemClock().now();
  send_some();
}

void SocketTransfer::send_some() {
  const std::size_t whole = head_.size() + request_.body.size();
  while (sent_ < whole) {
    const std::string_view head = std::string_view(head_).substr(std::min(sent_, head_.size()));
    const std::string_view body =
        std::string_view(request_.body).substr(sent_ > head_.size() ? sent_ - head_.size() : 0);
    iovec parts[2] = {{const_cast<char*>(head.data()), head.size()}, {const_cast<char*>(body.data()), body.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t count = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count < 0) break;  // it may have answered before it hung up: what came is read first
    sent_ += static_cast<std::size_t>(count);
    last_activity_ = SystemClock().now();
  }
  state_ = State::receiving;
}

short SocketTransfer::awaited_events() const {
  // A server may answer before it has read the whole request.
  return state_ == State::receiving ? POLLIN : state_ == State::sending ? POLLIN | POLLOUT : POLLOUT;
}

void SocketTransfer::advance() {
  if (state_ == State::connecting) return take_connected();
  if (state_ == State::sending) send_some();
  if (!is_over()) receive_some();
}

void SocketTransfer::receive_some() {
  char bytes[kReceivedAtOnceMax];
  ssize_t count = 0;
  do {
    count = ::recv(socket_.get(), bytes, received_at_once_, 0);
  } while (count < 0 && errno == EINTR);
  has_more_ = count > 0 && static_cast<std::size_t>(count) == received_at_once_;
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
  last_activity_ = SystemClock().now();
  if (has_more_) received_at_once_ = std::min(received_at_once_ * 2, kReceivedAtOnceMax);
  if (count > 0) return take_bytes({bytes, static_cast<std::size_t>(count)});
  if (count == 0) reader_.feed_end();
  if (count == 0 && reader_.is_complete()) {
    outcome_ = Result<void>();
    return;
  }
  const std::string host = shown_host(request_.url);
  const std::string what = count < 0 ? system_error(Errc::io, "receive", errno).message
                                     : std::string(meaning_of(HttpAnswerReader::Fault::broke_off));
  fail_with(Errc::io, (has_head_ ? "the connection to " + host + " broke: " : host + " did not answer: ") + what);
}

// All that came is read before anybody hears of it: whoever has heard the end of what was said may ask again at once,
// from another thread, and finds the connection free.
void SocketTransfer::take_bytes(std::string_view bytes) {
  std::vector<std::string_view> said;
  read_bytes(bytes, said);
  if (is_over()) give_connection_back();
  for (const std::string_view piece : said) receiver_->received(piece);
}

void SocketTransfer::read_bytes(std::string_view bytes, std::vector<std::string_view>& said) {
  while (!bytes.empty() && !is_over()) {
    const HttpAnswerReader::Piece piece = reader_.feed(bytes);
    bytes.remove_prefix(piece.used);
    if (piece.head_ended) take_head();
    if (!piece.body.empty()) {
      body_bytes_ += piece.body.size();
      if (request_.body_bytes_max && body_bytes_ > *request_.body_bytes_max) {
        return fail_with(Errc::limit, "the answer of " + shown_host(request_.url) + " is larger than " +
                                          human_bytes(*request_.body_bytes_max));
      }
      said.push_back(piece.body);
    }
    if (const auto fault = reader_.fault()) {
      const std::string host = shown_host(request_.url);
      if (*fault == HttpAnswerReader::Fault::head_too_long) {
        return fail_with(Errc::limit,
                         "the head of the answer of " + host + " is larger than " + human_bytes(kHttpHeadBytesMax));
      }
      return fail_with(Errc::io, "cannot talk to " + host + ": " + std::string(meaning_of(*fault)));
    }
    if (reader_.is_complete()) {
      if (!bytes.empty()) socket_.reset();  // what follows an answer unasked belongs to nobody
      outcome_ = Result<void>();
    }
  }
}

void SocketTransfer::take_head() {
  has_head_ = true;
  receiver_->began(HttpHead{.status = reader_.status(), .headers = std::move(reader_.fields())});
}

void SocketTransfer::fail_with(Errc code, std::string message) {
  socket_.reset();
  outcome_ = fail(code, std::move(message));
}

void SocketTransfer::give_connection_back() {
  const bool is_whole = reader_.is_complete() && reader_.keeps_alive() && sent_ == head_.size() + request_.body.size();
  if (is_whole && socket_) keep_(place_.key(), std::move(socket_));
  socket_.reset();
}

// How long the server may be silent now.
const std::optional<Duration>& SocketTransfer::patience() const {
  return request_.head_timeout && !has_head_ ? request_.head_timeout : request_.idle_timeout;
}

std::optional<TimePoint> SocketTransfer::next_deadline() const {
  std::optional<TimePoint> next = request_.deadline;
  const auto sooner = [&](TimePoint time) {
    if (!next || time < *next) next = time;
  };
  if (state_ == State::connecting) {
    sooner(began_ + request_.connect_timeout);
  } else if (patience()) {
    sooner(last_activity_ + *patience());
  }
  return next;
}

void SocketTransfer::end_if_overdue(TimePoint now) {
  const std::string host = shown_host(request_.url);
  if (request_.deadline && now >= *request_.deadline) {
    return fail_with(Errc::timeout, host + " did not finish its answer in time");
  }
  if (state_ == State::connecting) {
    if (now >= began_ + request_.connect_timeout)
      fail_with(Errc::timeout, "cannot reach " + host + ": no answer in time");
  } else if (patience() && now >= last_activity_ + *patience()) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*patience()).count();
    fail_with(Errc::timeout, "nothing came from " + host + " for " + std::to_string(seconds) + " seconds");
  }
}

void SocketTransfer::finish(Result<void> result) {
  std::string().swap(request_.body);  // the handle may live on; megabytes need not
  std::exchange(receiver_, nullptr)->ended(std::move(result));
}

}  // namespace deft
