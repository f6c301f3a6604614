#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// HTTP/1.1 as a server reads and writes it. Pure: bytes to requests, answers to bytes. Strict, because what two readers
// understand differently is how requests are smuggled: what is not exactly a request is refused, and the connection
// with it.

namespace deft {

using HttpFields = std::vector<std::pair<std::string, std::string>>;  // in the order of the wire

struct HttpReadLimits {
  std::size_t head_bytes_max = std::size_t{64} << 10;
  std::size_t fields_max = 100;
  std::size_t target_bytes_max = std::size_t{8} << 10;
  std::size_t body_bytes_max = std::size_t{32} << 20;
  std::size_t chunk_line_bytes_max = 1024;  // size and extensions
};

struct ReadRequest {
  std::string method;
  std::string path;   // begins with '/', as it came
  std::string query;  // without its '?'
  HttpFields fields;  // names in lower case
  std::string body;
  bool keeps_alive = true;

  // The value of the field, of several the first; null: there is none.
  const std::string* field(std::string_view name_in_lower_case) const;
  std::size_t count(std::string_view name_in_lower_case) const;
};

// Why bytes are no request, as the client is told.
struct HttpFault {
  int status = 400;
  std::string message;
};

// Bytes in pieces of any size to requests, one after the other. After a fault nothing more comes.
class HttpRequestReader {
 public:
  explicit HttpRequestReader(HttpReadLimits limits = {}) : limits_(limits) {}

  // Takes bytes until a request is whole; returns how many it took.
  std::size_t feed(std::string_view bytes);
  bool is_complete() const { return state_ == State::complete; }
  const std::optional<HttpFault>& fault() const { return fault_; }
  bool has_begun() const { return state_ != State::head || !line_.empty() || head_bytes_ > 0; }
  bool is_in_head() const { return state_ == State::head; }
  // The request as far as its head says; null: that is not whole yet, or was refused.
  const ReadRequest* head() const { return is_in_head() || state_ == State::refused ? nullptr : &request_; }
  // The client waits to be told before it sends the body; true once.
  bool take_expects_continue() { return std::exchange(expects_continue_, false); }
  // The whole request; the next one may begin.
  ReadRequest take();

 private:
  enum class State : std::uint8_t { head, body, chunk_size, chunk, chunk_end, trailer, complete, refused };

  std::optional<std::string> take_line(std::string_view bytes, std::size_t& used, std::size_t bytes_max, int status);
  void read_request_line(const std::string& line);
  void read_field(const std::string& line);
  void end_head();
  void read_chunk_size(const std::string& line);
  void refuse(int status, std::string message);

  HttpReadLimits limits_;
  State state_ = State::head;
  std::optional<HttpFault> fault_;
  ReadRequest request_;
  bool has_request_line_ = false;
  bool is_version_1_1_ = true;
  bool expects_continue_ = false;
  std::string line_;  // the beginning of a line whose end has not come
  std::size_t head_bytes_ = 0;
  std::size_t body_left_ = 0;
};

// "HTTP/1.1 200 OK…" up to and with the empty line. A field that could end its line early is left out.
std::string http_head(int status, const HttpFields& fields);
std::string_view http_reason(int status);
std::string http_chunk(std::string_view bytes);  // of a body in pieces; nothing for nothing
inline constexpr std::string_view kHttpLastChunk = "0\r\n\r\n";

}  // namespace deft
