#pragma once

#include <cstdint>

#include "deft/base/json.h"

namespace deft {

// How many tokens a message cost, whichever API's words say it. What was read from or written to a cache is not part of
// `input`.
struct TokenUse {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  std::uint64_t cache_read = 0;
  std::uint64_t cache_write = 0;
  std::uint64_t cache_write_hour = 0;  // of these: what is kept for an hour, which costs more

  TokenUse& operator+=(const TokenUse& other);
  std::uint64_t total() const { return input + output + cache_read + cache_write; }
  std::uint64_t prompt() const { return input + cache_read + cache_write; }
  bool operator==(const TokenUse&) const = default;
};

// From Message::usage: input_tokens … (Anthropic, Responses), prompt_tokens … (chat completions). What is missing is 0.
TokenUse token_use(const Json& usage);

}  // namespace deft
