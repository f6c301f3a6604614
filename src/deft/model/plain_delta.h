#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace deft {

// A piece of a block as Anthropic's API sends nearly all of them, thousands in one answer:
//   {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"…"}}
// or of type thinking_delta or input_json_delta; the beginning of a call:
//   {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"…","name":"…","input":{}}}
// and the end of a block:
//   {"type":"content_block_stop","index":0}
struct PlainDelta {
  enum class Kind : std::uint8_t { text, thinking, input, call, stop };
  Kind kind = Kind::text;
  std::int64_t index = 0;
  std::string text = {};  // of a call: its id
  std::string name = {};  // of a call
};
// Nothing for whatever is not written exactly so, blanks at the end aside: it is then read as any JSON is.
std::optional<PlainDelta> read_plain_delta(std::string_view data);

}  // namespace deft
