#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "deft/model/model.h"
#include "deft/model/offered_tools.h"

// Requests of Anthropic's Messages API, as text. Pure.
//
// What stays the same from request to request keeps its bytes and its place: tools, system prompt, history. Where the
// server shall keep what it has read is marked: after the tools, after the system prompt, at the end and at the end of
// the last request, which is where it finds what it kept then, however many blocks have come since.

namespace deft {

inline constexpr std::size_t kAnthropicRequestBytesMax = 32'000'000;

struct AnthropicDialect {
  std::string cache_ttl = "5m";  // "5m", "1h"; empty: nothing is marked
  bool eager_input = false;      // inputs of calls are streamed as they are written
  bool own_models = false;       // the API of the makers: what others' models thought is not told to theirs
};

// One tool, for OfferedTools.
std::string anthropic_tool(const OfferedTool& tool, const AnthropicDialect& dialect);
std::string anthropic_body(const ModelRequest& request, const std::string& tools, const AnthropicDialect& dialect);

// The content of an assistant's message without what this API does not know: thoughts and items of other providers.
// Bytes that need no change stay as they are. Empty: nothing is left.
std::string anthropic_content(std::string_view content, bool own_models);

}  // namespace deft
