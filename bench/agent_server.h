#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

// A model for benchmarks: a server on loopback that streams what a script says and notes when what happened.

namespace bench {

using Time = std::chrono::steady_clock::time_point;
inline Time now() { return std::chrono::steady_clock::now(); }
inline double between(Time from, Time to) { return std::chrono::duration<double>(to - from).count(); }

inline std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

inline std::string event(std::string_view json) { return "data: " + std::string(json) + "\n\n"; }

inline std::string message_begin() {
  return event(
      R"({"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1}}})");
}
inline std::string message_end(std::string_view reason) {
  return event(R"({"type":"message_delta","delta":{"stop_reason":")" + std::string(reason) +
               R"("},"usage":{"output_tokens":1}})") +
         event(R"({"type":"message_stop"})");
}
inline std::string call_block(int index, const std::string& id, std::string_view tool, std::string_view input) {
  const std::string at = std::to_string(index);
  return event(R"({"type":"content_block_start","index":)" + at + R"(,"content_block":{"type":"tool_use","id":")" + id +
               R"(","name":")" + std::string(tool) + R"(","input":{}}})") +
         event(R"({"type":"content_block_delta","index":)" + at +
               R"(,"delta":{"type":"input_json_delta","partial_json":")" + escaped(input) + R"("}})") +
         event(R"({"type":"content_block_stop","index":)" + at + "}");
}
inline std::string text_block(int deltas) {
  std::string out = event(R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})");
  for (int i = 0; i < deltas; ++i) {
    out += event(R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word )" +
                 std::to_string(i) + R"( "}})");
  }
  return out + event(R"({"type":"content_block_stop","index":0})");
}

// One answer: its bytes in parts, and what happens between two of them.
struct Answer {
  std::vector<std::string> parts;
  std::function<void(std::size_t part, Time sent)> after_part = nullptr;
};
struct Seen {
  Time first_byte;  // of the request
  Time last_sent;   // when the last byte of the answer was handed to the kernel
  std::string body;
};

// Serves one client process: every request gets the next answer.
class ModelServer {
 public:
  ModelServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 16) != 0)
      std::abort();
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~ModelServer() { ::close(listener_); }
  ModelServer(const ModelServer&) = delete;
  ModelServer& operator=(const ModelServer&) = delete;

  std::uint16_t port() const { return port_; }

  // Answers until all answers are given and the client has hung up. `ask` runs the client meanwhile.
  std::vector<Seen> serve(const std::vector<Answer>& answers, const std::function<void()>& ask) {
    std::vector<Seen> seen;
    std::jthread server([&] { answer_all(answers, seen); });
    ask();
    server.join();
    return seen;
  }

 private:
  void answer_all(const std::vector<Answer>& answers, std::vector<Seen>& seen) {
    while (seen.size() < answers.size()) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) std::abort();
      const int yes = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      unread_.clear();
      while (seen.size() < answers.size()) {
        Seen request;
        if (!read_request(socket, request)) break;
        send_answer(socket, answers[seen.size()], request);
        seen.push_back(std::move(request));
      }
      ::shutdown(socket, SHUT_WR);
      ::close(socket);
    }
  }

  bool read_request(int socket, Seen& request) {
    bool first = true;
    const auto more = [&] {
      char bytes[65536];
      const ssize_t count = ::recv(socket, bytes, sizeof bytes, 0);
      if (count <= 0) return false;
      if (std::exchange(first, false)) request.first_byte = now();
      unread_.append(bytes, static_cast<std::size_t>(count));
      return true;
    };
    std::size_t head;
    while ((head = unread_.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return false;
    }
    std::size_t length = 0;
    for (const char* name : {"Content-Length: ", "content-length: "}) {
      const std::size_t at = unread_.find(name);
      if (at < head) length = std::strtoul(unread_.c_str() + at + 16, nullptr, 10);
    }
    while (unread_.size() < head + 4 + length) {
      if (!more()) return false;
    }
    request.body = unread_.substr(head + 4, length);
    unread_.erase(0, head + 4 + length);
    return true;
  }

  static void send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  static std::string chunk(std::string_view bytes) {
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
    return size + std::string(bytes) + "\r\n";
  }

  static void send_answer(int socket, const Answer& answer, Seen& request) {
    std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (std::size_t i = 0; i < answer.parts.size(); ++i) {
      std::string bytes = std::exchange(head, {}) + chunk(answer.parts[i]);
      if (i + 1 == answer.parts.size()) bytes += "0\r\n\r\n";
      request.last_sent = now();  // before: the client may be faster than we are
      send_all(socket, bytes);
      if (answer.after_part) answer.after_part(i, request.last_sent);
    }
  }

  int listener_;
  std::uint16_t port_ = 0;
  std::string unread_;
};

}  // namespace bench
