#include "deft/core/token_use.h"

#include <algorithm>

namespace deft {
namespace {

std::uint64_t count(const Json& object, std::string_view key) {
  const auto number = find_int(object, key);
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

}  // namespace

TokenUse& TokenUse::operator+=(const TokenUse& other) {
  input += other.input;
  output += other.output;
  cache_read += other.cache_read;
  cache_write += other.cache_write;
  cache_write_hour += other.cache_write_hour;
  return *this;
}

TokenUse token_use(const Json& usage) {
  TokenUse use;
  use.cache_read = count(usage, "cache_read_input_tokens");
  use.cache_write = count(usage, "cache_creation_input_tokens");
  if (const Json* written = find(usage, "cache_creation")) {
    use.cache_write_hour = std::min(use.cache_write, count(*written, "ephemeral_1h_input_tokens"));
  }
  use.input = count(usage, "input_tokens");
  use.output = count(usage, "output_tokens");
  if (find(usage, "prompt_tokens") || find(usage, "completion_tokens")) {
    use.input = count(usage, "prompt_tokens");
    use.output = count(usage, "completion_tokens");
  }
  // OpenAI's count what came from the cache within the whole.
  for (const std::string_view key : {"input_tokens_details", "prompt_tokens_details"}) {
    const Json* details = find(usage, key);
    if (!details) continue;
    use.cache_read = std::min(use.input, count(*details, "cached_tokens"));
    use.input -= use.cache_read;
  }
  return use;
}

}  // namespace deft
