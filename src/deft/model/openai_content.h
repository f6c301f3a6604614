#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "deft/base/json.h"
#include "deft/core/history.h"

// The content of a conversation, which is kept in the words of Anthropic's Messages API, in parts that the APIs of
// OpenAI's kind can be told. Pure.

namespace deft {

inline constexpr std::size_t kOpenAiCallIdBytesMax = 40;

struct ContentText {
  std::string text;
  std::string phase{};  // of an answer of the Responses API: what it calls "commentary" or "final_answer"
};
struct ContentImage {
  std::string url;  // also "data:image/png;base64,…"
};
struct ContentFile {
  std::string name;
  std::string data_url;
};
using ContentPart = std::variant<ContentText, ContentImage, ContentFile>;

struct ContentCall {
  std::string id;
  std::string name;
  std::string arguments;             // JSON text, byte for byte what the model wrote
  std::string_view extra_content{};  // JSON of the server's own, if it came with the call
};
struct ContentResult {
  std::string call_id;
  std::vector<ContentPart> parts;
};
struct ContentThought {
  std::string_view json;  // the block: of type "thinking", or a sealed thought ("reasoning.encrypted")
};
struct ContentOther {  // an item of this API's own
  std::string_view json;
};
using ContentItem = std::variant<ContentPart, ContentCall, ContentResult, ContentThought, ContentOther>;

// The blocks of one message, in their order. What can be told to nobody but the one who said it is left out. `content`
// must outlive what comes out.
std::vector<ContentItem> content_items(std::string_view content);

// The texts, as paragraphs.
std::string joined_text(const std::vector<ContentPart>& parts);
bool is_all_text(const std::vector<ContentPart>& parts);
// All of it as JSON, each part by `part_json`: a plain text where that is enough, since not every server takes lists.
std::string parts_json(const std::vector<ContentPart>& parts, std::string (*part_json)(const ContentPart&));

// An id of ours as these APIs take it.
std::string openai_call_id(std::string_view id);
// `,"key":json`, or without the comma right after a brace.
void append_member(std::string& out, std::string_view key, std::string_view json);
// low, medium, high, xhigh; what is above those is the highest.
std::string openai_effort(std::string_view effort);

}  // namespace deft
