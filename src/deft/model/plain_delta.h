#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace deft {

// A piece of a block as Anthropic's API sends nearly all of them, thousands in one answer:
//   {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"…"}}
// or of type thinking_delta or input_json_delta; and the end of a block:
//   {"type":"content_block_stop","index":0}
struct PlainDelta {
  enum class Kind : std::uint8_t { text, thinking, input, stop };
  Kind kind = Kind::text;
  std::int64_t index = 0;
  std::string text = {};
};
// Nothing for whatever is not written exactly so, blanks at the end aside: it is then read as any JSON is.
std::optional<PlainDelta> read_plain_delta(std::string_view data);

}  // namespace deft
