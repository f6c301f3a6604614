// A schema of a stranger and a value for it, with a line "%" between the two texts. Both ways of asking agree, and
// whatever is wrong is put into words that are bounded.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "deft/base/check.h"
#include "deft/core/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kBetween = "\n%\n";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t between = text.find(kBetween);
  if (between == std::string_view::npos) return 0;
  const auto document = deft::parse_json(text.substr(0, between));
  const auto value = deft::parse_json(text.substr(between + kBetween.size()));
  if (!document || !value) return 0;

  // Fewer steps than in real life: the fuzzer shall try many schemas, not wait for one.
  const auto schema = deft::Schema::compile(*document, {.steps_max = 20'000});
  if (!schema) {
    DEFT_CHECK(schema.error().message.starts_with("the schema cannot be used: at "));
    return 0;
  }
  const auto problems = schema->validate(*value);
  DEFT_CHECK(problems.empty() == schema->accepts(*value));
  DEFT_CHECK(problems.size() <= deft::kSchemaProblemsMax);
  for (const deft::SchemaProblem& problem : problems) DEFT_CHECK(!problem.expected.empty() && !problem.got.empty());
  DEFT_CHECK(deft::input_validation_error(problems).size() < 10'000);
  return 0;
}
