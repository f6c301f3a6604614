#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"

// How language servers put messages on a pipe: a header of lines with the length of the body, an empty line, the body.

namespace deft::lsp {

inline constexpr std::size_t kHeaderBytesMax = std::size_t{8} << 10;
inline constexpr std::size_t kMessageBytesMax = std::size_t{32} << 20;

struct FrameLimits {
  std::size_t header_bytes_max = kHeaderBytesMax;
  std::size_t message_bytes_max = kMessageBytesMax;
};

// Takes bytes in pieces of any size and gives the bodies. Whatever is no frame ends it: behind a wrong header nobody
// knows where the next one begins. Keeps no more than one message.
class FrameReader {
 public:
  explicit FrameReader(FrameLimits limits = {}) : limits_(limits) {}

  // The bodies that are complete now. None any more after an error.
  std::vector<std::string> feed(std::string_view bytes);
  const std::optional<Error>& error() const { return error_; }

 private:
  bool take_header(std::string_view& bytes);
  void read_header();
  void give_up(Errc code, std::string message);

  const FrameLimits limits_;
  std::string header_;
  std::optional<std::size_t> body_bytes_;  // nothing: in the header
  std::string body_;
  std::optional<Error> error_;
};

// A message as it is written.
std::string frame(std::string_view body);

}  // namespace deft::lsp
