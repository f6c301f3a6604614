#include "deft/core/message_content.h"

#include <algorithm>

#include "deft/base/content_hash.h"
#include "deft/core/message_json.h"

namespace deft {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

std::string call_block(const ToolUseBlock& use) {
  const ToolCall& call = use.call;
  // What really came in an invalid one is told in its result.
  return call_json(call_id_word(call.id), api_tool_name(call.name), call.invalid ? "{}" : call.input_text, use.extra);
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

bool is_thought(std::string_view type) { return type == "thinking" || type == "redacted_thinking"; }

bool is_thought(const Block& block) {
  if (const auto* other = std::get_if<OtherBlock>(&block)) {
    return is_thought(find_string(other->json, "type").value_or(""));
  }
  return std::holds_alternative<ThinkingBlock>(block);
}

// Where a prompt is cached is for the request to say, which may say it four times.
std::string without_cache_mark(const Json& block) {
  if (!block.is_object() || !find(block, "cache_control")) return to_json(block);
  JsonObject rest;
  for (const auto& [key, value] : block.get_object()) {
    if (key != "cache_control") rest.emplace(key, value);
  }
  return to_json(rest);
}

std::string content_block(const Json& given) {
  if (const auto* text = given.if_string()) return text_block(view(*text));
  if (find_string(given, "type") == "text") {
    const auto text = find_string(given, "text");
    return text && !is_blank(*text) ? without_cache_mark(given) : "";
  }
  return find_string(given, "type") ? without_cache_mark(given) : "";
}

}  // namespace

std::string api_word(std::string_view word, std::string_view if_empty) {
  std::string out(word.empty() ? if_empty : word);
  std::ranges::replace_if(out, [](char c) { return !is_word_character(c); }, '_');
  return out;
}

std::string call_id_word(std::string_view id) {
  std::string out(id.empty() ? "call" : id);
  std::ranges::replace_if(out, [](char c) { return !is_word_character(c) && c != '.' && c != ':'; }, '_');
  if (out.front() == '.') out.front() = '_';  // a name that begins with it has a meaning for too many
  return out;
}

std::string api_call_id(std::string_view id) {
  constexpr std::size_t kHashDigits = 8;
  std::string word = api_word(id, "call");
  return word == id ? word : word + "_" + content_hash(id).substr(0, kHashDigits);
}

std::string api_tool_name(std::string_view name) {
  std::string word = api_word(name, "unnamed");
  return word.size() <= kToolNameBytesMax ? word : hashed_tool_name(name);
}

std::string hashed_tool_name(std::string_view name) {
  constexpr std::size_t kHashDigits = 8;
  return api_word(name, "unnamed").substr(0, kToolNameBytesMax - kHashDigits - 1) + "_" +
         content_hash(name).substr(0, kHashDigits);
}

bool is_handed_back(const Block& block) {
  const auto* text = std::get_if<TextBlock>(&block);
  return !text || !is_blank(text->text);
}

std::string assistant_content(const std::vector<Block>& blocks) {
  std::vector<std::string> texts;
  std::size_t said = 0;  // how many of them, up to the last that is no thought
  for (const Block& block : blocks) {
    if (!is_handed_back(block)) continue;
    const auto* use = std::get_if<ToolUseBlock>(&block);
    texts.push_back(use ? call_block(*use) : block_json(block));
    if (!is_thought(block)) said = texts.size();
  }
  texts.resize(said);
  return content_of(texts);
}

std::string without_thought_at_end(std::string_view content) {
  const auto parsed = parse_json(content);
  const JsonArray* blocks = parsed ? parsed->if_array() : nullptr;
  std::size_t said = blocks ? blocks->size() : 0;
  while (said > 0 && is_thought(find_string((*blocks)[said - 1], "type").value_or(""))) --said;
  if (!blocks || said == blocks->size()) return std::string(content);
  std::vector<std::string> texts;
  for (const std::string_view block : raw_elements(content)) {
    if (texts.size() < said) texts.emplace_back(block);
  }
  return content_of(texts);
}

std::string text_block(std::string_view text) {
  if (is_blank(text)) return {};
  return "{\"type\":\"text\",\"text\":" + json_quote(text) + "}";
}

std::string result_block(std::string_view call_id, const ToolResult& result) {
  std::string out;
  out.reserve(result_block_size(call_id, result));
  append_result_block(out, call_id, result);
  return out;
}

std::size_t result_block_size(std::string_view call_id, const ToolResult& result) {
  return result.text.size() + result.text.size() / 16 + call_id.size() + 100;
}

void append_result_block(std::string& out, std::string_view call_id, const ToolResult& result) {
  out += "{\"type\":\"tool_result\",\"tool_use_id\":";
  append_json_string(out, call_id_word(call_id));
  if (result.blocks.empty()) {
    out += ",\"content\":";
    append_json_string(out, result.text);
  } else {
    std::vector<std::string> blocks{text_block(result.text)};
    for (const Json& block : result.blocks) blocks.push_back(without_cache_mark(block));
    out += ",\"content\":" + content_of(blocks);
  }
  if (result.is_error()) out += ",\"is_error\":true";
  out += '}';
}

std::vector<std::string> new_message_blocks(const JsonArray& new_messages) {
  std::vector<std::string> blocks;
  for (const Json& message : new_messages) {
    const Json* content = find(message, "content");
    if (!content || find_string(message, "type")) {
      blocks.push_back(content_block(message));
    } else if (const auto* several = content->if_array()) {
      for (const Json& block : *several) blocks.push_back(content_block(block));
    } else {
      blocks.push_back(content_block(*content));
    }
  }
  std::erase(blocks, "");
  return blocks;
}

std::string content_of(const std::vector<std::string>& blocks) {
  std::size_t size = 2;
  for (const std::string& block : blocks) size += block.size() + 1;
  std::string out;
  out.reserve(size);
  for (const std::string& block : blocks) {
    if (block.empty()) continue;
    out += out.empty() ? '[' : ',';
    out += block;
  }
  if (!out.empty()) out += ']';
  return out;
}

std::string joined_content(std::string_view content, std::string_view more) {
  if (content.empty()) return std::string(more);
  if (more.empty()) return std::string(content);
  std::string out(content);
  out.back() = ',';
  return out.append(more.substr(1));
}

}  // namespace deft
