#include "deft/model/openai_chat_stream.h"

#include "deft/model/event_json.h"

namespace deft {
namespace {

// Calls have the keys 0, 1, 2 …
constexpr Assembler::Key kTextKey = -1;
constexpr Assembler::Key kThinkingKey = -2;
constexpr Assembler::Key kRefusalKey = -3;
constexpr Assembler::Key kFirstOtherKey = -4;  // and downwards

std::string to_stop_reason(std::string_view finish_reason) {
  if (finish_reason == "stop") return "end_turn";
  if (finish_reason == "tool_calls" || finish_reason == "function_call") return "tool_use";
  if (finish_reason == "length") return "max_tokens";
  if (finish_reason == "content_filter") return "refusal";
  return std::string(finish_reason);
}

const Json* delta_of(const Json& choice) {
  if (const Json* delta = find(choice, "delta"); delta && delta->is_object()) return delta;
  return find(choice, "message");
}

// The arguments as text. Some servers send the object itself; its own bytes then, so that nothing is rounded.
std::string arguments_of(const Json* function, std::string_view event_text, std::initializer_list<PathStep> path) {
  const Json* arguments = function ? find(*function, "arguments") : nullptr;
  if (!arguments || arguments->is_null()) return {};
  if (arguments->is_string()) return piece_of(*function, "arguments", event_text, path);
  const auto raw = raw_at(event_text, path);
  const auto member = raw ? raw_member(*raw, "arguments") : std::nullopt;
  return member ? std::string(*member) : to_json(*arguments);
}

// Details come in pieces, those of one kind and index belonging together, and go back whole.
void add_detail(Json& known, const JsonObject& piece) {
  if (!known.is_array()) known = JsonArray();
  JsonArray& details = known.get_array();
  const auto same = [&](std::string_view key) {
    const Json* before = find(details.back(), key);
    const Json* now = find(piece, key);
    return before && now ? *before == *now : before == now;
  };
  if (details.empty() || !same("type") || !same("index")) {
    details.emplace_back(piece);
    return;
  }
  JsonObject& detail = details.back().get_object();
  for (const auto& [key, value] : piece) {
    if (value.is_null()) continue;
    Json& member = detail[key];
    const bool is_text = (key == "text" || key == "summary") && value.is_string() && member.is_string();
    if (is_text) {
      member.get_string().append(value.get_string());
    } else {
      member = value;
    }
  }
}

}  // namespace

bool OpenAiChatStream::recognises(const Json& event) { return find_array(event, "choices") != nullptr; }

void OpenAiChatStream::start_message() {
  calls_.clear();
  next_other_key_ = kFirstOtherKey;
  assembler_.begin("", "");
}

Result<void> OpenAiChatStream::handle(const Json& event, std::string_view text) {
  const JsonArray* choices = find_array(event, "choices");
  if (!choices) {
    if (assembler_.in_message()) read_head(event);  // the usage, of servers that leave out the empty list
    return {};
  }
  if (!assembler_.in_message()) {
    if (choices->empty()) return {};  // notes of a gateway, before the message or after it
    start_message();
  }
  read_head(event);
  for (std::size_t i = 0; i < choices->size(); ++i) {
    const Json& choice = (*choices)[i];
    if (!choice.is_object()) return malformed("a choice that is not an object");
    if (find_int(choice, "index").value_or(0) != 0) continue;
    if (auto read = read_choice(choice, text, i); !read) return read;
  }
  return {};
}

void OpenAiChatStream::read_head(const Json& event) {
  Message& head = assembler_.head();
  // Gateways begin with ids and models of their own or none: the last one given is the right one.
  const auto update = [&](std::string& known, std::string_view key) {
    const auto given = find_string(event, key);
    if (given && !given->empty() && *given != known) known = *given;
  };
  update(head.id, "id");
  update(head.model, "model");
  if (const Json* usage = find(event, "usage"); usage && usage->is_object()) head.usage = *usage;
}

std::string OpenAiChatStream::Delta::piece(std::string_view key) const {
  return piece_of(json, key, event_text, {"choices", choice, name});
}

Result<void> OpenAiChatStream::read_choice(const Json& choice, std::string_view text, std::size_t position) {
  if (const Json* json = delta_of(choice); json && json->is_object()) {
    const Delta delta{.json = *json,
                      .event_text = text,
                      .choice = position,
                      .name = json == find(choice, "delta") ? "delta" : "message"};
    if (auto read = read_delta(delta); !read) return read;
    if (auto read = read_calls(delta); !read) return read;
  }
  const auto reason = find_string(choice, "finish_reason");
  return reason && !reason->empty() ? read_finish_reason(*reason) : Result<void>();
}

Result<void> OpenAiChatStream::read_calls(const Delta& delta) {
  const JsonArray* calls = find_array(delta.json, "tool_calls");
  for (std::size_t i = 0; calls && i < calls->size(); ++i) {
    const Json& call = (*calls)[i];
    if (!call.is_object()) return malformed("a tool call that is not an object");
    const auto arguments = arguments_of(find(call, "function"), delta.event_text,
                                        {"choices", delta.choice, delta.name, "tool_calls", i, "function"});
    if (auto read = calls_.read(call, arguments); !read) return read;
  }
  // Older servers of Hugging Face send the one call that there is, not a list.
  const Json* single = find(delta.json, "tool_calls");
  if (single && find_object(*single, "function")) {
    const auto arguments = arguments_of(find(*single, "function"), delta.event_text,
                                        {"choices", delta.choice, delta.name, "tool_calls", "function"});
    if (auto read = calls_.read(*single, arguments); !read) return read;
  }
  const Json* function = find(delta.json, "function_call");
  if (!function || !function->is_object()) return {};
  return calls_.read_legacy(
      *function, arguments_of(function, delta.event_text, {"choices", delta.choice, delta.name, "function_call"}));
}

Result<void> OpenAiChatStream::read_delta(const Delta& delta) {
  if (auto read = read_reasoning(delta); !read) return read;
  if (auto read = read_content(delta); !read) return read;
  const std::string refusal = delta.piece("refusal");
  if (refusal.empty()) return {};
  if (!assembler_.find_open(kRefusalKey)) {
    if (auto opened = assembler_.open(kRefusalKey, OtherBlock{JsonObject{{"type", "refusal"}}}); !opened) return opened;
  }
  return assembler_.append_to_member(kRefusalKey, "refusal", refusal);
}

// A string, or (Mistral) a list of parts: {"type":"text","text"}, {"type":"thinking","thinking":[{"text"}]}.
Result<void> OpenAiChatStream::read_content(const Delta& delta) {
  const JsonArray* parts = find_array(delta.json, "content");
  if (!parts) return append(kTextKey, TextBlock(), delta.piece("content"));
  for (const Json& part : *parts) {
    if (const auto text = find_string(part, "text")) {
      if (auto added = append(kTextKey, TextBlock(), *text); !added) return added;
    }
    const JsonArray* thoughts = find_array(part, "thinking");
    for (std::size_t i = 0; thoughts && i < thoughts->size(); ++i) {
      const auto thought = find_string((*thoughts)[i], "text").value_or(std::string_view());
      if (auto added = append(kThinkingKey, ThinkingBlock(), thought); !added) return added;
    }
  }
  return {};
}

// The same thought may come under two names, and once more in reasoning_details: the first name that has it counts.
Result<void> OpenAiChatStream::read_reasoning(const Delta& delta) {
  ThinkingBlock empty;
  std::string thought = delta.piece("reasoning_content");
  if (!thought.empty()) empty.extra["reasoning_field"] = "reasoning_content";
  if (thought.empty()) thought = delta.piece("reasoning");
  if (auto added = append(kThinkingKey, std::move(empty), thought); !added) return added;
  const JsonArray* details = find_array(delta.json, "reasoning_details");
  return details ? read_reasoning_details(*details, thought.empty()) : Result<void>();
}

Result<void> OpenAiChatStream::read_reasoning_details(const JsonArray& details, bool with_text) {
  for (const Json& detail : details) {
    const std::string_view type = find_string(detail, "type").value_or(std::string_view());
    if (type == "reasoning.encrypted") {
      if (auto opened = assembler_.open(next_other_key_--, OtherBlock{detail}); !opened) return opened;
      continue;
    }
    const std::string_view text = find_string(detail, type == "reasoning.summary" ? "summary" : "text").value_or("");
    if (with_text) {
      if (auto added = append(kThinkingKey, ThinkingBlock(), text); !added) return added;
    }
    Block* block = assembler_.find_open(kThinkingKey);
    if (!block || !detail.is_object()) continue;
    if (auto charged = assembler_.charge(to_json(detail).size()); !charged) return charged;
    auto& thinking = std::get<ThinkingBlock>(*block);
    add_detail(thinking.extra["reasoning_details"], detail.get_object());
    const std::string signature = string_or_empty(detail, "signature");
    if (!signature.empty()) thinking.signature = signature;
  }
  return {};
}

Result<void> OpenAiChatStream::append(Assembler::Key key, Block empty, std::string_view piece) {
  if (piece.empty()) return {};
  if (!assembler_.find_open(key)) {
    if (auto opened = assembler_.open(key, std::move(empty)); !opened) return opened;
  }
  return assembler_.append(key, piece);
}

Result<void> OpenAiChatStream::read_finish_reason(std::string_view reason) {
  if (reason == "error") return fail(Errc::failed, "the provider ended the message with an error");
  const bool refused = reason == "stop" && assembler_.find_open(kRefusalKey);
  assembler_.stop(refused ? "refusal" : to_stop_reason(reason), std::string(reason));
  return calls_.close_all();
}

Result<void> OpenAiChatStream::end(bool said_done) {
  if (!assembler_.in_message()) return {};
  if (assembler_.head().raw_stop_reason.empty()) {
    if (said_done) {
      if (auto closed = calls_.close_whole(); !closed) return closed;
    }
    return fail(Errc::io, "the stream ended without a finish_reason");
  }
  if (auto closed = calls_.close_whole(); !closed) return closed;  // those that came after the finish_reason
  assembler_.finish();
  return {};
}

}  // namespace deft
