#include "deft/os/web_socket_link.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <utility>

#include "deft/base/base64.h"
#include "deft/base/text.h"
#include "deft/os/curl_library.h"
#include "deft/os/stop_event.h"

// libcurl makes the connection, to the address that it is told, and TLS; everything above that is ours. Once connected,
// the thread sleeps in poll() on the socket and on the stop.

namespace deft {
namespace {

constexpr long kConnectMs = 10'000;
constexpr Duration kHandshakeTimeMax = std::chrono::seconds(10);
constexpr Duration kSendTimeMax = std::chrono::seconds(10);
constexpr std::size_t kPieceBytes = std::size_t{16} << 10;
constexpr std::size_t kErrorCharactersMax = 300;
constexpr std::uint16_t kNormalClose = 1000;

std::unexpected<Error> was_cancelled() { return fail(Errc::cancelled, "the connection was cancelled"); }

bool fill_randomly(unsigned char* bytes, std::size_t size) {
  return ::getrandom(bytes, size, 0) == static_cast<ssize_t>(size);
}

int stop_if_wanted(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::stop_token*>(stop)->stop_requested() ? 1 : 0;
}

curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* address) {
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

class CurlSocketLink final : public WebSocketLink {
 public:
  explicit CurlSocketLink(const CurlLibrary& curl) : curl_(curl), easy_(curl.easy_init()) {}
  ~CurlSocketLink() override {
    if (is_open_) static_cast<void>(send_frame(SocketOpcode::close, socket_close_payload(kNormalClose), Duration{}));
    if (easy_) curl_.easy_cleanup(easy_);
    curl_.slist_free_all(connect_to_);
  }
  CurlSocketLink(const CurlSocketLink&) = delete;
  CurlSocketLink& operator=(const CurlSocketLink&) = delete;

  Result<void> open(const WebSocketPlace& place, const HttpNetwork& network, const std::stop_token& stop) {
    if (auto connected = connect(place, network, stop); !connected) return connected;
    return shake_hands(place, stop);
  }

  Result<SocketMessage> next(std::optional<TimePoint> deadline, std::stop_token stop) override {
    while (true) {
      auto message = reader_.take();
      if (!message) {
        close(reader_.fault_code());
        return std::unexpected(message.error());
      }
      if (!*message) {
        auto received = receive(deadline, stop);
        if (!received) return std::unexpected(received.error());
        reader_.feed(*received);
        continue;
      }
      SocketMessage& one = **message;
      if (one.opcode == SocketOpcode::pong) continue;
      if (one.opcode == SocketOpcode::ping) {
        if (auto sent = send_frame(SocketOpcode::pong, one.payload, kSendTimeMax); !sent) {
          return std::unexpected(sent.error());
        }
        continue;
      }
      if (one.opcode == SocketOpcode::close) close(kNormalClose);
      return std::move(one);
    }
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    if (curl_.easy_setopt(easy_, option, value) != CURLE_OK) options_taken_ = false;
  }

  Result<void> connect(const WebSocketPlace& place, const HttpNetwork& network, const std::stop_token& stop) {
    if (!easy_) return fail(Errc::internal, "libcurl gave no handle");
    std::array<char, CURL_ERROR_SIZE> said{};
    const std::string url = place.url.text();
    const bool is_v6 = place.address.find(':') != std::string::npos;
    connect_to_ =
        curl_.slist_append(nullptr, ("::" + (is_v6 ? "[" + place.address + "]" : place.address) + ":").c_str());
    if (!connect_to_) options_taken_ = false;
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_CONNECT_ONLY, 1L);
    set(CURLOPT_CONNECT_TO, connect_to_);
    set(CURLOPT_PROXY, "");
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));  // what TLS then offers, too
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
    set(CURLOPT_ERRORBUFFER, said.data());
    set(CURLOPT_OPENSOCKETFUNCTION, &open_socket);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &stop_if_wanted);
    set(CURLOPT_XFERINFODATA, static_cast<void*>(const_cast<std::stop_token*>(&stop)));
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    set(CURLOPT_CAINFO, network.ca_file.empty() ? nullptr : network.ca_file.c_str());
    set(CURLOPT_CAPATH, network.ca_folder.empty() ? nullptr : network.ca_folder.c_str());
    if (!options_taken_) return fail(Errc::unsupported, "this libcurl lacks what a WebSocket needs: upgrade libcurl4");
    const CURLcode code = curl_.easy_perform(easy_);
    // Both are on this thread's stack.
    set(CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
    set(CURLOPT_NOPROGRESS, 1L);
    if (stop.stop_requested()) return was_cancelled();
    if (code != CURLE_OK) {
      const std::string_view what = said[0] != '\0' ? said.data() : curl_.easy_strerror(code);
      return fail(code == CURLE_OPERATION_TIMEDOUT ? Errc::timeout : Errc::io,
                  "cannot reach " + place.url.host + ": " + one_line(what, kErrorCharactersMax));
    }
    curl_socket_t socket = CURL_SOCKET_BAD;
    if (curl_.easy_getinfo(easy_, CURLINFO_ACTIVESOCKET, &socket) != CURLE_OK || socket == CURL_SOCKET_BAD) {
      return fail(Errc::io, "cannot reach " + place.url.host);
    }
    socket_ = socket;
    return {};
  }

  Result<void> shake_hands(const WebSocketPlace& place, const std::stop_token& stop) {
    std::array<unsigned char, 16> random{};
    if (!fill_randomly(random.data(), random.size())) return fail(Errc::failed, "the system has no random numbers");
    const std::string key = to_base64({reinterpret_cast<const char*>(random.data()), random.size()});
    const TimePoint deadline = clock_.now() + kHandshakeTimeMax;
    if (auto sent = send(socket_request(place.url, place.protocols, key), deadline); !sent) return sent;
    std::string head;
    std::size_t end = 0;
    while (end == 0) {
      auto received = receive(deadline, stop);
      if (!received) return std::unexpected(received.error());
      head += *received;
      if (const std::size_t blank = head.find("\r\n\r\n"); blank != std::string::npos) end = blank + 4;
      if (head.size() > kSocketHeadBytesMax && end == 0) {
        return fail(Errc::limit, "The head of the answer is larger than " + human_bytes(kSocketHeadBytesMax) + ".");
      }
    }
    if (auto agreed = check_socket_answer(std::string_view(head).substr(0, end), place.protocols, key); !agreed) {
      return agreed;
    }
    is_open_ = true;
    reader_.feed(std::string_view(head).substr(end));
    return {};
  }

  // Waits until the socket can be read from (or written to).
  Result<void> wait(short events, std::optional<TimePoint> deadline, const StopEvent& stop) const {
    std::array<pollfd, 2> watched = {
        {{.fd = socket_, .events = events, .revents = 0}, {.fd = stop.fd(), .events = POLLIN, .revents = 0}}};
    while (true) {
      int ms = -1;
      if (deadline) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - clock_.now()).count();
        if (left <= 0) return fail(Errc::timeout, "nothing came in time");
        ms = static_cast<int>(std::min<std::int64_t>(left, 3'600'000));
      }
      const int ready = ::poll(watched.data(), watched.size(), ms);
      if (ready < 0 && errno != EINTR) return fail(Errc::io, "the connection broke");
      if (watched[1].revents != 0) return was_cancelled();
      if (ready > 0 && watched[0].revents != 0) return {};
    }
  }

  // What has come, at least a byte.
  Result<std::string> receive(std::optional<TimePoint> deadline, const std::stop_token& token) {
    const StopEvent stop(token);
    if (!stop.works()) return fail(Errc::io, "no descriptor is left to wait with");
    std::string piece(kPieceBytes, '\0');
    while (true) {
      if (token.stop_requested()) return was_cancelled();
      std::size_t size = 0;
      const CURLcode code = curl_.easy_recv(easy_, piece.data(), piece.size(), &size);
      if (code == CURLE_OK && size > 0) {
        piece.resize(size);
        return piece;
      }
      if (code != CURLE_AGAIN) {
        is_open_ = false;
        return fail(Errc::io, "the connection was closed");
      }
      if (auto ready = wait(POLLIN, deadline, stop); !ready) return std::unexpected(ready.error());
    }
  }

  Result<void> send(std::string_view bytes, TimePoint deadline) {
    const StopEvent never{std::stop_token()};
    while (!bytes.empty()) {
      std::size_t sent = 0;
      const CURLcode code = curl_.easy_send(easy_, bytes.data(), bytes.size(), &sent);
      if (code != CURLE_OK && code != CURLE_AGAIN) {
        is_open_ = false;
        return fail(Errc::io, "the connection broke");
      }
      bytes.remove_prefix(code == CURLE_OK ? sent : 0);
      if (bytes.empty()) break;
      if (auto ready = wait(POLLOUT, deadline, never); !ready) return ready;
    }
    return {};
  }

  Result<void> send_frame(SocketOpcode opcode, std::string_view payload, Duration at_most) {
    std::array<unsigned char, 4> mask{};
    if (!fill_randomly(mask.data(), mask.size())) return fail(Errc::failed, "the system has no random numbers");
    return send(socket_frame(opcode, payload, mask), clock_.now() + at_most);
  }

  void close(std::uint16_t code) {
    if (!std::exchange(is_open_, false)) return;
    static_cast<void>(send_frame(SocketOpcode::close, socket_close_payload(code), Duration{}));
  }

  const CurlLibrary& curl_;
  CURL* const easy_;
  curl_slist* connect_to_ = nullptr;
  curl_socket_t socket_ = CURL_SOCKET_BAD;
  const SystemClock clock_;
  SocketReader reader_;
  bool options_taken_ = true;
  bool is_open_ = false;  // hands were shaken, and nobody has said goodbye
};

}  // namespace

Result<std::unique_ptr<WebSocketLink>> open_web_socket(const WebSocketPlace& place, const HttpNetwork& network,
                                                       std::stop_token stop) {
  const auto curl = load_curl();
  if (!curl) return std::unexpected(curl.error());
  auto link = std::make_unique<CurlSocketLink>(**curl);
  if (auto opened = link->open(place, network, stop); !opened) return std::unexpected(opened.error());
  return link;
}

}  // namespace deft
