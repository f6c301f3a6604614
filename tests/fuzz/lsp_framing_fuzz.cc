// The frames of language servers: pieces of any size give the messages of the whole, nothing crashes, memory stays
// bounded, and what we write is what we read.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/lsp/framing.h"

namespace {

// Small limits, so that the fuzzer reaches them.
constexpr deft::lsp::FrameLimits kLimits{.header_bytes_max = 100, .message_bytes_max = 200};

std::string read(std::string_view bytes, std::size_t step) {
  deft::lsp::FrameReader reader(kLimits);
  std::string out;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, step);
    for (const std::string& body : reader.feed(piece)) {
      DEFT_CHECK(body.size() <= kLimits.message_bytes_max);
      out += "[" + body + "]";
    }
    bytes.remove_prefix(piece.size());
  }
  if (reader.error()) out += reader.error()->message;
  return out;
}

}  // namespace

// The first byte chooses the size of the pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = read(bytes, bytes.size());
  DEFT_CHECK(read(bytes, 1 + data[0] % 17U) == whole);
  DEFT_CHECK(read(bytes, 1) == whole);
  if (bytes.size() <= kLimits.message_bytes_max) {
    DEFT_CHECK(read(deft::lsp::frame(bytes), 3) == "[" + std::string(bytes) + "]");
  }
  return 0;
}
