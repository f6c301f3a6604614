// Files of agents, skills and commands, as a stranger's repository may hold them. What is read stays within its limits,
// and the body is the end of the file, untouched.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "deft/base/check.h"
#include "deft/config/front_matter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto matter = deft::read_front_matter(text);
  if (!matter) {
    DEFT_CHECK(matter.error().message.starts_with("line "));
    return 0;
  }
  DEFT_CHECK(text.ends_with(matter->body));
  DEFT_CHECK(matter->values.size() <= deft::kFrontMatterLimits.values_max);
  DEFT_CHECK(deft::parse_json(deft::to_json(matter->values)).has_value());
  for (const auto& member : matter->values) {
    const std::string_view key = member.key();
    static_cast<void>(deft::bool_field(matter->values, key));
    static_cast<void>(deft::text_field(matter->values, key));
    for (const auto separators : {deft::Separators::commas, deft::Separators::commas_and_blanks}) {
      const auto words = deft::words_field(matter->values, key, separators);
      DEFT_CHECK(!words || !*words || (*words)->size() <= deft::kFrontMatterWordsMax);
    }
  }
  return 0;
}
