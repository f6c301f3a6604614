#include "deft/testing/http_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>

#include "deft/base/check.h"

namespace deft::testing {
namespace {

constexpr int kGlanceMs = 20;  // how soon the end of the server is noticed by whoever waits for a client

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::uint16_t bind_any_port(int socket) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  DEFT_CHECK(::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0);
  DEFT_CHECK(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.sin_port);
}

std::string url_of(std::uint16_t port, std::string_view path) {
  return "http://127.0.0.1:" + std::to_string(port) + std::string(path);
}

// False: nothing came before the server had to end.
bool wait_readable(int socket, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd entry{.fd = socket, .events = POLLIN, .revents = 0};
    if (::poll(&entry, 1, kGlanceMs) > 0) return true;
  }
  return false;
}

// Nothing: the client has hung up, or the server ends.
std::optional<std::string> read_some(int socket, const std::stop_token& stop) {
  if (!wait_readable(socket, stop)) return std::nullopt;
  std::string bytes(std::size_t{64} << 10, '\0');
  const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
  if (count <= 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(count));
  return bytes;
}

std::size_t parse_number(std::string_view text, int base) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

void parse_head(std::string_view head, PeerRequest& request) {
  bool first = true;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    if (first) {
      const std::size_t space = line.find(' ');
      request.method = line.substr(0, space);
      request.path = line.substr(space + 1, line.rfind(' ') - space - 1);
      first = false;
      continue;
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    while (value.starts_with(' ')) value.remove_prefix(1);
    request.headers.emplace_back(line.substr(0, colon), value);
  }
}

std::string head_text(int status, const HttpHeaders& headers) {
  std::string text = "HTTP/1.1 " + std::to_string(status) + " as scripted\r\n";
  for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
  return text;
}

std::string hexadecimal(std::size_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
  return {digits, end};
}

}  // namespace

std::string PeerRequest::header(std::string_view name) const {
  return std::string(find_header(headers, name).value_or(std::string_view()));
}

void PeerGate::open() {
  {
    const std::lock_guard lock(mutex_);
    open_ = true;
  }
  opened_.notify_all();
}

bool PeerGate::wait(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  return opened_.wait(lock, std::move(stop), [this] { return open_; });
}

void PeerAnswer::send(int status, const HttpHeaders& headers, std::string_view body) {
  raw(head_text(status, headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
  answered_ = true;
}

void PeerAnswer::head(int status, const HttpHeaders& headers) {
  raw(head_text(status, headers) + "Transfer-Encoding: chunked\r\n\r\n");
}

void PeerAnswer::chunk(std::string_view bytes) {
  if (!bytes.empty()) raw(hexadecimal(bytes.size()) + "\r\n" + std::string(bytes) + "\r\n");
}

void PeerAnswer::end() {
  raw("0\r\n\r\n");
  answered_ = true;
}

void PeerAnswer::raw(std::string_view bytes) {
  while (open_ && !bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) {
      open_ = false;  // the client has hung up, and need not be told more
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void PeerAnswer::cut() {
  ::shutdown(socket_, SHUT_RDWR);
  open_ = false;
}

void PeerAnswer::reset() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);  // the RST goes out when the socket is closed
  open_ = false;
}

bool PeerAnswer::wait_until_gone() {
  while (true) {
    if (!wait_readable(socket_, stop_)) return false;
    char byte;
    if (::recv(socket_, &byte, 1, 0) > 0) continue;
    open_ = false;
    return true;
  }
}

SilentPort::SilentPort()
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), port_(bind_any_port(socket_.get())) {}

std::string SilentPort::url(std::string_view path) const { return url_of(port_, path); }

HttpPeer::HttpPeer(PeerHandler handler)
    : handler_(std::move(handler)),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      port_(bind_any_port(listener_.get())) {
  DEFT_CHECK(::listen(listener_.get(), SOMAXCONN) == 0);
  acceptor_ = std::jthread([this](const std::stop_token& stop) { accept_all(stop); });
}

HttpPeer::~HttpPeer() {
  acceptor_.request_stop();
  acceptor_.join();  // after this nobody adds to the lists
  for (std::jthread& server : servers_) server.request_stop();
  for (const auto& connection : connections_) {
    const std::lock_guard lock(mutex_);
    if (!connection->ended) ::shutdown(connection->socket.get(), SHUT_RDWR);  // wakes whoever sends to a full pipe
  }
  servers_.clear();
}

std::string HttpPeer::url(std::string_view path) const { return url_of(port_, path); }

std::vector<PeerRequest> HttpPeer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t HttpPeer::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_.size();
}

std::size_t HttpPeer::open_connections() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(connections_, [](const auto& connection) { return !connection->ended; }));
}

void HttpPeer::accept_all(const std::stop_token& stop) {
  while (wait_readable(listener_.get(), stop)) {
    UniqueFd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) continue;
    const int yes = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const std::lock_guard lock(mutex_);
    const std::size_t number = connections_.size();
    connections_.push_back(std::make_unique<Connection>(std::move(socket)));
    servers_.emplace_back([this, number](const std::stop_token& ended) { serve(number, ended); });
  }
}

void HttpPeer::serve(std::size_t number, const std::stop_token& stop) {
  Connection* connection = nullptr;
  {
    const std::lock_guard lock(mutex_);
    connection = connections_[number].get();
  }
  std::string unread;
  while (auto request = read_request(connection->socket.get(), unread, stop)) {
    request->connection = number;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(*request);
    }
    PeerAnswer answer(connection->socket.get(), stop);
    handler_(*request, answer);
    if (!answer.is_open()) break;
    if (!answer.has_answered()) {
      answer.wait_until_gone();
      break;
    }
  }
  const std::lock_guard lock(mutex_);
  connection->ended = true;
  connection->socket.reset();
}

std::optional<PeerRequest> HttpPeer::read_request(int socket, std::string& unread, const std::stop_token& stop) const {
  const auto more = [&] {
    auto bytes = read_some(socket, stop);
    if (bytes) unread += *bytes;
    return bytes.has_value();
  };
  const auto take = [&](std::size_t count) {
    std::string taken = unread.substr(0, count);
    unread.erase(0, count);
    return taken;
  };

  std::size_t head_end;
  while ((head_end = unread.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return std::nullopt;
  }
  PeerRequest request;
  parse_head(take(head_end), request);
  take(4);
  if (request.header("expect") == "100-continue") PeerAnswer(socket, stop).raw("HTTP/1.1 100 Continue\r\n\r\n");

  if (request.header("transfer-encoding") != "chunked") {
    const std::size_t length = parse_number(request.header("content-length"), 10);
    while (unread.size() < length) {
      if (!more()) return std::nullopt;
    }
    request.body = take(length);
    return request;
  }
  while (true) {
    std::size_t line_end;
    while ((line_end = unread.find("\r\n")) == std::string::npos) {
      if (!more()) return std::nullopt;
    }
    const std::size_t length = parse_number(take(line_end), 16);
    while (unread.size() < length + 4) {
      if (!more()) return std::nullopt;
    }
    take(2);
    request.body += take(length);
    take(2);
    if (length == 0) return request;
  }
}

}  // namespace deft::testing
