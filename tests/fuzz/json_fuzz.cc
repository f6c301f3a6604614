// What the parser accepts, the writer writes so that it reads back as the same text; raw spans parse on their own.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = deft::parse_json(text);
  if (!value) return 0;

  const std::string written = deft::to_json(*value);
  const auto again = deft::parse_json(written);
  DEFT_CHECK(again);
  DEFT_CHECK(deft::to_json(*again) == written);
  for (const auto& member : deft::raw_members(text)) DEFT_CHECK(deft::parse_json(member.value));
  for (const auto element : deft::raw_elements(text)) DEFT_CHECK(deft::parse_json(element));
  return 0;
}
