// The SSE reader: pieces of any size give the events of the whole, nothing crashes, memory stays bounded.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/sse.h"

namespace {

// Small limits, so that the fuzzer reaches them.
constexpr deft::SseLimits kLimits{.line_bytes_max = 200, .event_bytes_max = 300};

void show(std::string& out, const deft::SseEvent& event) {
  out += event.event + '\n' + event.data + '\n' + event.id + '\n';
  if (event.retry) out += std::to_string(*event.retry);
}

std::string read(std::string_view bytes, std::size_t first, std::size_t step) {
  deft::SseReader reader(kLimits);
  std::string out;
  for (std::size_t size = first; !bytes.empty(); size = step) {
    const std::string_view piece = bytes.substr(0, size);
    reader.feed(piece, [&](const deft::SseEvent& event) { show(out, event); });
    bytes.remove_prefix(piece.size());
  }
  if (const auto event = reader.take_unfinished()) show(out, *event);
  if (reader.error()) out += reader.error()->message;
  return out;
}

}  // namespace

// The first byte chooses the size of the pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = read(bytes, bytes.size(), bytes.size());
  DEFT_CHECK(read(bytes, 1 + data[0] % 7, 1 + data[0] / 7) == whole);
  DEFT_CHECK(read(bytes, 1, 1) == whole);
  return 0;
}
