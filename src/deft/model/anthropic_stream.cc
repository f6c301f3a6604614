#include "deft/model/anthropic_stream.h"

#include <algorithm>
#include <array>

#include "deft/model/event_json.h"

namespace deft {
namespace {

bool is_of_message(std::string_view type) {
  return type == "content_block_start" || type == "content_block_delta" || type == "content_block_stop" ||
         type == "message_delta" || type == "message_stop";
}

// The counters that go on while a message streams, each of them a total so far; the rest of the usage is said once,
// when it begins. What is absent or null does not apply and leaves what is there.
constexpr std::array<std::string_view, 8> kRunningTotals = {"input_tokens",
                                                            "output_tokens",
                                                            "cache_creation_input_tokens",
                                                            "cache_read_input_tokens",
                                                            "server_tool_use",
                                                            "output_tokens_details",
                                                            "iterations",
                                                            "fallback_credit"};

bool is_running_total(std::string_view key) { return std::ranges::find(kRunningTotals, key) != kRunningTotals.end(); }

void overlay(Json& usage, const JsonObject& update) {
  if (!usage.is_object()) usage = JsonObject();
  for (const auto& [key, value] : update) {
    const bool is_new = !usage.get_object().contains(key);
    if (value.is_null() || (!is_new && !is_running_total({key.data(), key.size()}))) continue;
    usage.get_object()[key] = value;
  }
}

std::unexpected<Error> not_open(Assembler::Key index) {
  return malformed("a piece of block " + std::to_string(index) + ", which is not open");
}

// A piece of another kind than its block is ignored: thinking_delta comes for redacted blocks too.
bool fits(PlainDelta::Kind kind, const Block& block) {
  const bool is_text = std::holds_alternative<TextBlock>(block);
  const bool is_thinking = std::holds_alternative<ThinkingBlock>(block);
  if (kind == PlainDelta::Kind::text) return is_text;
  return kind == PlainDelta::Kind::thinking ? is_thinking : !is_text && !is_thinking;
}

void add_citation(TextBlock& block, const Json& citation) {
  Json& citations = block.extra["citations"];
  if (!citations.is_array()) citations = JsonArray();
  citations.get_array().push_back(citation);
}

}  // namespace

bool AnthropicStream::recognises(const Json& event) {
  const auto type = find_string(event, "type");
  return type && (*type == "message_start" || is_of_message(*type));
}

Result<void> AnthropicStream::handle(const Json& event, std::string_view text) {
  const std::string_view type = find_string(event, "type").value_or(std::string_view());
  if (type == "message_start") {
    const Json* message = find(event, "message");
    if (!message || !message->is_object()) return malformed("message_start without a message");
    return start_message(*message, raw_at(text, {"message"}).value_or(std::string_view()));
  }
  if (!is_of_message(type) || !assembler_.in_message()) return {};

  if (type == "message_delta") {
    update_message(event);
    return {};
  }
  if (type == "message_stop") {
    assembler_.close_whole_calls();
    assembler_.finish();
    return {};
  }
  const auto index = find_int(event, "index");
  if (!index || *index < 0) return malformed(std::string(type) + " without a usable index");
  if (type == "content_block_stop") return stop_block(*index);
  if (type == "content_block_start") {
    const Json* block = find(event, "content_block");
    if (!block || !block->is_object()) return malformed("content_block_start without a content_block");
    return start_block(*index, *block, raw_at(text, {"content_block"}).value_or(std::string_view()));
  }
  const Json* delta = find(event, "delta");
  if (!delta || !delta->is_object()) return malformed("content_block_delta without a delta");
  return handle_delta(*index, *delta, text);
}

Result<void> AnthropicStream::handle_body(const Json& body, std::string_view text) {
  if (auto started = start_message(body, text); !started) return started;
  set_stop(body);
  assembler_.finish();
  return {};
}

Result<void> AnthropicStream::end() { return fail(Errc::io, "the stream broke off before message_stop"); }

Result<void> AnthropicStream::start_message(const Json& message, std::string_view text) {
  if (assembler_.in_message()) {
    assembler_.fail(Error{Errc::io, "a new message began before message_stop of the last one"});
  }
  whole_inputs_.clear();
  assembler_.begin(string_or_empty(message, "id"), string_or_empty(message, "model"));
  if (const Json* usage = find(message, "usage")) assembler_.head().usage = *usage;

  const JsonArray* content = find_array(message, "content");
  for (std::size_t i = 0; content && i < content->size(); ++i) {
    const auto index = static_cast<Assembler::Key>(i);
    const auto raw = raw_at(text, {"content", i}).value_or(std::string_view());
    if (auto started = start_block(index, (*content)[i], raw); !started) return started;
    if (auto stopped = stop_block(index); !stopped) return stopped;
  }
  return {};
}

Result<void> AnthropicStream::start_block(Assembler::Key index, const Json& block, std::string_view text) {
  if (!block.is_object()) return malformed("a content block that is not an object");
  const std::string_view type = find_string(block, "type").value_or(std::string_view());
  const JsonObject& fields = block.get_object();
  if (type == "text") {
    return assembler_.open(index, TextBlock{piece_of(block, "text", text, {}), without(fields, {"type", "text"})});
  }
  if (type == "thinking") {
    return assembler_.open(index,
                           ThinkingBlock{piece_of(block, "thinking", text, {}), string_or_empty(block, "signature"),
                                         without(fields, {"type", "thinking", "signature"})});
  }
  if (type == "fallback") {  // another model goes on with the message: it is that one's
    const Json* to = find(block, "to");
    if (const std::string model = to ? string_or_empty(*to, "model") : ""; !model.empty())
      assembler_.head().model = model;
  }
  if (type != "tool_use") return assembler_.open(index, OtherBlock{block});

  ToolUseBlock use;
  use.call.id = string_or_empty(block, "id");
  use.call.name = string_or_empty(block, "name");
  use.extra = without(fields, {"type", "id", "name", "input"});
  // The input starts as {} and comes in pieces. Some servers send it whole here and no pieces.
  const Json* input = find(block, "input");
  if (input && !input->is_null() && !(input->is_object() && input->get_object().empty())) {
    const auto raw = raw_at(text, {"input"});
    whole_inputs_[index] = raw ? std::string(*raw) : to_json(*input);
  }
  return assembler_.open(index, std::move(use));
}

Result<void> AnthropicStream::stop_block(Assembler::Key index) {
  const auto whole = whole_inputs_.find(index);
  if (whole != whole_inputs_.end()) {
    Block* block = assembler_.find_open(index);
    auto* use = block ? std::get_if<ToolUseBlock>(block) : nullptr;
    if (use && use->call.input_text.empty()) {
      if (auto added = assembler_.append(index, whole->second); !added) return added;
    }
    whole_inputs_.erase(whole);
  }
  return assembler_.close(index);
}

Result<void> AnthropicStream::take(const PlainDelta& delta) {
  if (delta.kind == PlainDelta::Kind::stop) return stop_block(delta.index);
  if (delta.kind == PlainDelta::Kind::call) {
    ToolUseBlock use;
    use.call.id = delta.text;
    use.call.name = delta.name;
    return assembler_.open(delta.index, std::move(use));
  }
  const Block* block = assembler_.find_open(delta.index);
  if (!block) return not_open(delta.index);
  return fits(delta.kind, *block) ? assembler_.append(delta.index, delta.text) : Result<void>();
}

Result<void> AnthropicStream::handle_delta(Assembler::Key index, const Json& delta, std::string_view text) {
  const std::string_view type = find_string(delta, "type").value_or(std::string_view());
  Block* block = assembler_.find_open(index);
  if (!block) return not_open(index);

  const auto append = [&](PlainDelta::Kind kind, std::string_view key) {
    return fits(kind, *block) ? assembler_.append(index, piece_of(delta, key, text, {"delta"})) : Result<void>();
  };
  auto* words = std::get_if<TextBlock>(block);
  auto* thinking = std::get_if<ThinkingBlock>(block);
  auto* other = std::get_if<OtherBlock>(block);
  if (type == "text_delta") {
    return append(PlainDelta::Kind::text, "text");
  } else if (type == "thinking_delta") {
    return append(PlainDelta::Kind::thinking, "thinking");
  } else if (type == "input_json_delta") {
    return append(PlainDelta::Kind::input, "partial_json");
  } else if (type == "signature_delta") {
    const std::string signature = string_or_empty(delta, "signature");
    if (thinking) thinking->signature = signature;
    return assembler_.charge(signature.size());
  } else if (type == "citations_delta") {
    const Json* citation = find(delta, "citation");
    if (words && citation) add_citation(*words, *citation);
    return assembler_.charge(to_json(delta).size());
  } else if (type == "compaction_delta" && other) {
    for (const auto& [key, value] : without(delta.get_object(), {"type"})) other->json.get_object()[key] = value;
    return assembler_.charge(to_json(delta).size());
  }
  return {};
}

void AnthropicStream::update_message(const Json& event) {
  if (const JsonObject* usage = find_object(event, "usage")) overlay(assembler_.head().usage, *usage);
  if (const Json* delta = find(event, "delta")) set_stop(*delta);
}

void AnthropicStream::set_stop(const Json& fields) {
  for (const std::string_view key : {"stop_sequence", "stop_details", "container"}) {
    const Json* value = find(fields, key);
    if (value && !value->is_null()) assembler_.head().extra[key] = *value;
  }
  const std::string reason = string_or_empty(fields, "stop_reason");
  if (!reason.empty()) assembler_.stop(reason, reason);
}

}  // namespace deft
