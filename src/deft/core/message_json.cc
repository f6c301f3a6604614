#include "deft/core/message_json.h"

namespace deft {
namespace {

// Builds an object member by member, because inputs are copied as text and not written from a value.
class ObjectText {
 public:
  void add_raw(std::string_view key, std::string_view json) {
    if (out_.empty()) out_.reserve(kBytesMost);
    out_ += out_.empty() ? '{' : ',';
    append_json_string(out_, key);
    out_ += ':';
    out_ += json;
  }
  void add(std::string_view key, std::string_view text) {
    add_raw(key, {});
    append_json_string(out_, text);
  }
  void add(const JsonObject& members) {
    for (const auto& [key, value] : members) add_raw({key.data(), key.size()}, to_json(value));
  }
  void add_or_null(std::string_view key, std::string_view text) {
    add_raw(key, text.empty() ? std::string("null") : json_quote(text));
  }
  std::string take() { return std::move(out_) + '}'; }

 private:
  static constexpr std::size_t kBytesMost = 240;  // of most blocks

  std::string out_;
};

// Valid JSON without the space between its tokens: a line must not contain a newline.
std::string without_space(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\' && i + 1 < json.size()) {
      out += c;
      out += json[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (in_string || (c != ' ' && c != '\t' && c != '\r' && c != '\n')) out += c;
  }
  return out;
}

std::string to_text(const TextBlock& block) {
  ObjectText out;
  out.add("type", "text");
  out.add("text", block.text);
  out.add(block.extra);
  return out.take();
}

std::string to_text(const ThinkingBlock& block) {
  ObjectText out;
  out.add("type", "thinking");
  out.add("thinking", block.thinking);
  out.add("signature", block.signature);
  out.add(block.extra);
  return out.take();
}

ObjectText begun_call(std::string_view id, std::string_view name) {
  ObjectText out;
  out.add("type", "tool_use");
  out.add("id", id);
  out.add("name", name);
  return out;
}

std::string to_text(const ToolUseBlock& block) {
  const ToolCall& call = block.call;
  if (!call.invalid) return call_json(call.id, call.name, call.input_text, block.extra);
  ObjectText out = begun_call(call.id, call.name);
  out.add_raw("input", "null");
  out.add("invalid", *call.invalid);
  out.add("input_text", call.input_text);
  out.add(block.extra);
  return out.take();
}

std::string to_text(const OtherBlock& block) { return to_json(block.json); }

}  // namespace

std::string call_json(std::string_view id, std::string_view name, std::string_view input_text,
                      const JsonObject& extra) {
  ObjectText out = begun_call(id, name);
  out.add_raw("input", without_space(input_text));
  out.add(extra);
  return out.take();
}

std::string block_json(const Block& block) {
  return std::visit([](const auto& one) { return to_text(one); }, block);
}

std::string message_line(const Message& message) {
  std::string content = "[";
  for (const Block& block : message.blocks) {
    if (content.size() > 1) content += ',';
    content += block_json(block);
  }
  content += ']';

  ObjectText out;
  out.add("type", "message");
  out.add_raw("content", content);
  out.add_or_null("stop_reason", message.stop_reason);
  out.add_or_null("raw_stop_reason", message.raw_stop_reason);
  out.add_or_null("id", message.id);
  out.add_or_null("model", message.model);
  out.add_raw("usage", to_json(message.usage));
  out.add(message.extra);
  return out.take();
}

std::string error_line(const Error& error, std::string_view provider_code) {
  ObjectText out;
  out.add("type", "error");
  out.add("code", to_string(error.code));
  out.add("message", error.message);
  if (!provider_code.empty()) out.add("provider_code", provider_code);
  return out.take();
}

}  // namespace deft
