// Answers of HTTP/1.1: pieces of any size give the answer of the whole, nothing crashes, and no more is taken for a
// body than came.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/http_answer.h"

namespace {

constexpr std::size_t kHeadBytesMax = 300;  // small, so that the fuzzer reaches it

std::string read(std::string_view bytes, std::size_t step) {
  deft::HttpAnswerReader reader(/*has_body=*/true, kHeadBytesMax);
  std::string out;
  const std::size_t size = bytes.size();
  while (!bytes.empty() && !reader.is_complete() && !reader.fault()) {
    std::string_view piece = bytes.substr(0, step);
    while (!piece.empty() && !reader.is_complete() && !reader.fault()) {
      const auto taken = reader.feed(piece);
      DEFT_CHECK(taken.used > 0 && taken.used <= piece.size());
      if (taken.head_ended) out += std::to_string(reader.status()) + "\n";
      out += taken.body;
      piece.remove_prefix(taken.used);
      bytes.remove_prefix(taken.used);
    }
  }
  DEFT_CHECK(out.size() <= size + 4);
  if (!reader.is_complete() && !reader.fault()) reader.feed_end();
  DEFT_CHECK(reader.is_complete() != reader.fault().has_value());
  return out + (reader.is_complete() ? "\nwhole" : "\nrefused");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = read(bytes, size);
  for (const std::size_t step : {1U, 2U, 7U}) DEFT_CHECK(read(bytes, step) == whole);
  return 0;
}
