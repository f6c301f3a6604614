#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/http_message.h"

namespace deft {

// HTTP/1.1 as a client reads it. Pure: bytes in pieces of any size to one answer. What is not exactly an answer is
// refused, and the connection with it: whoever guesses where a body ends takes a part of it for the next answer.
//
//   while (!bytes.empty() && !reader.is_complete() && !reader.fault()) {
//     const HttpAnswerReader::Piece piece = reader.feed(bytes);
//     if (piece.head_ended) …reader.status(), reader.fields()
//     use(piece.body);
//     bytes.remove_prefix(piece.used);
//   }
class HttpAnswerReader {
 public:
  struct Piece {
    std::size_t used = 0;     // of the bytes that were given
    bool head_ended = false;  // with this piece; once, whatever interim answers came before
    std::string_view body{};  // among the bytes that were given
  };
  enum class Fault : std::uint8_t { none, no_http, head_too_long, unknown_framing, broke_off };

  HttpAnswerReader(bool has_body, std::size_t head_bytes_max) : has_body_(has_body), head_bytes_max_(head_bytes_max) {}

  Piece feed(std::string_view bytes);
  void feed_end();  // the server has closed the connection

  bool is_complete() const { return state_ == State::complete; }
  std::optional<Fault> fault() const { return fault_ == Fault::none ? std::nullopt : std::optional(fault_); }
  bool has_begun() const { return head_bytes_ > 0 || !line_.empty(); }
  // Whether the connection may serve another request; of a complete answer.
  bool keeps_alive() const { return keeps_alive_; }

  int status() const { return status_; }
  HttpFields& fields() { return fields_; }  // names as they came

 private:
  enum class State : std::uint8_t {
    status_line,
    fields,
    body,
    body_to_the_end,
    chunk_size,
    chunk,
    chunk_end,
    trailer,
    complete,
    refused
  };

  bool take_line(std::string_view bytes, std::size_t& used);
  void read_line(Piece& piece);
  void read_status_line();
  void read_field();
  bool end_head();
  bool read_framing();
  void read_chunk_size();
  void refuse(Fault fault);

  bool has_body_;
  std::size_t head_bytes_max_;
  State state_ = State::status_line;
  Fault fault_ = Fault::none;
  int status_ = 0;
  HttpFields fields_;
  bool keeps_alive_ = true;
  std::string line_;  // the beginning of a line whose end has not come; without its end once it has
  std::size_t head_bytes_ = 0;
  std::size_t left_ = 0;  // of the body, or of the chunk
};

}  // namespace deft
