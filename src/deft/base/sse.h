#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/result.h"

namespace deft {

inline constexpr std::size_t kSseLineBytesMax = std::size_t{32} << 20;
inline constexpr std::size_t kSseEventBytesMax = std::size_t{32} << 20;
// The last id is repeated in every later event, so it must be short; a longer one is ignored.
inline constexpr std::size_t kSseIdBytesMax = 256;

struct SseLimits {
  std::size_t line_bytes_max = kSseLineBytesMax;
  std::size_t event_bytes_max = kSseEventBytesMax;
  // A field "error" is an event of that name: what llama.cpp sent until late in 2025.
  bool error_field = false;
};

struct SseEvent {
  std::string event;                   // its name; empty if none was given
  std::string data;                    // the data lines, joined by newlines
  std::string id;                      // the last id seen on the stream
  std::optional<std::uint64_t> retry;  // milliseconds, if this event changed it
};

// Bytes of a text/event-stream, in pieces of any size, to events, by the rules of the WHATWG. Linear in the bytes.
// After an error (a line or an event over its limit) nothing more comes out.
class SseReader {
 public:
  explicit SseReader(SseLimits limits = {}) : limits_(limits) {}

  // `each` is told every event that is whole with these bytes; the event is the reader's own, and gone afterwards.
  using Each = std::function<void(const SseEvent&)>;
  void feed(std::string_view bytes, const Each& each);

  // At the end of the bytes: the event that lacks only its closing empty line. A browser drops it; whoever can see
  // from the data alone that it is whole may use it.
  std::optional<SseEvent> take_unfinished();

  const std::optional<Error>& error() const { return error_; }

 private:
  void read(std::string_view bytes, const Each& each);
  void end_line(std::string_view tail, const Each& each);
  void read_line(std::string_view line, const Each& each);
  void read_field(std::string_view name, std::string_view value);
  void end_event(const Each& each);
  void refuse(const char* what, std::size_t bytes_max);

  SseLimits limits_;
  std::optional<Error> error_;
  std::string head_;  // the first bytes, until it is clear whether they are a byte order mark
  bool head_read_ = false;
  bool skip_newline_ = false;  // the last byte was a CR: an LF right after it belongs to the same line end
  std::string line_;           // the beginning of a line whose end has not come
  SseEvent event_;             // so far; each data line with a newline after it
};

}  // namespace deft
