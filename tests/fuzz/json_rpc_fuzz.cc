// Whatever is read as a message reads the same when it is written again; whatever is refused has a reason.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/json_rpc.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto message = deft::parse_rpc(text);
  if (!message) {
    DEFT_CHECK(!message.error().message.empty());
    return 0;
  }
  const std::string written = deft::to_text(*message);
  DEFT_CHECK(written.find('\n') == std::string::npos);
  const auto again = deft::parse_rpc(written);
  DEFT_CHECK(again);
  DEFT_CHECK(again->index() == message->index());
  DEFT_CHECK(deft::to_text(*again) == written);
  DEFT_CHECK(deft::to_json(deft::to_value(*message)) == written);
  return 0;
}
