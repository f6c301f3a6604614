#include "deft/core/message_json.h"

namespace deft {
namespace {

// Builds an object member by member, because inputs are copied as text and not written from a value.
class ObjectText {
 public:
  void add_raw(std::string_view key, std::string_view json) {
    out_ += out_.empty() ? '{' : ',';
    append_json_string(out_, key);
    out_ += ':';
    out_ += json;
  }
  void add(std::string_view key, std::string_view text) { add_raw(key, json_quote(text)); }
  void add(const JsonObject& members) {
    for (const auto& [key, value] : members) add_raw({key.data(), key.size()}, to_json(value));
  }
  void add_or_null(std::string_view key, std::string_view text) {
    add_raw(key, text.empty() ? std::string("null") : json_quote(text));
  }
  std::string take() { return std::move(out_) + '}'; }

 private:
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

std::string to_text(const ToolUseBlock& block) {
  const ToolCall& call = block.call;
  ObjectText out;
  out.add("type", "tool_use");
  out.add("id", call.id);
  out.add("name", call.name);
  if (call.invalid) {
    out.add_raw("input", "null");
    out.add("invalid", *call.invalid);
    out.add("input_text", call.input_text);
  } else {
    out.add_raw("input", without_space(call.input_text));
  }
  out.add(block.extra);
  return out.take();
}

std::string to_text(const OtherBlock& block) { return to_json(block.json); }

}  // namespace

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
