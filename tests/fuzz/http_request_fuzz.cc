// Requests of HTTP/1.1: pieces of any size give the requests of the whole, nothing crashes, memory stays bounded, and
// nothing is understood that a stricter reader would not understand.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/http_guard.h"
#include "deft/base/http_message.h"

namespace {

// Small limits, so that the fuzzer reaches them.
constexpr deft::HttpReadLimits kLimits{
    .head_bytes_max = 300, .fields_max = 8, .target_bytes_max = 60, .body_bytes_max = 100, .chunk_line_bytes_max = 40};

std::string read(std::string_view bytes, std::size_t step) {
  static const deft::HttpGuard guard({}, 80, "token");
  deft::HttpRequestReader reader(kLimits);
  std::string out;
  while (!bytes.empty() && !reader.fault()) {
    std::string_view piece = bytes.substr(0, step);
    bytes.remove_prefix(piece.size());
    while (!piece.empty() && !reader.fault()) {
      piece.remove_prefix(reader.feed(piece));
      if (!reader.is_complete()) continue;
      const deft::ReadRequest request = reader.take();
      DEFT_CHECK(request.body.size() <= kLimits.body_bytes_max);
      DEFT_CHECK(request.fields.size() <= kLimits.fields_max);
      DEFT_CHECK(request.path.starts_with('/'));
      DEFT_CHECK(!(request.field("content-length") && request.field("transfer-encoding")));
      out += request.method + " " + request.path + "?" + request.query + " " + request.body + "\n";
      for (const auto& [name, value] : request.fields) {
        DEFT_CHECK(value.find_first_of("\r\n") == std::string::npos);
        out += name + "=" + value + "\n";
      }
      const auto refusal = guard.refusal(request);
      out += refusal ? std::to_string(refusal->status) : "in";
    }
  }
  if (reader.fault()) out += std::to_string(reader.fault()->status);
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
  return 0;
}
