#include "deft/model/openai_responses_stream.h"

#include "deft/model/event_json.h"

namespace deft {
namespace {

bool is_start(std::string_view type) {
  return type == "response.created" || type == "response.queued" || type == "response.in_progress";
}

std::string_view final_status(std::string_view type) {
  if (type == "response.completed") return "completed";
  if (type == "response.incomplete") return "incomplete";
  if (type == "response.failed") return "failed";
  if (type == "response.cancelled") return "cancelled";
  return {};
}

// The pieces that we read; everything else only tells of progress.
bool is_piece(std::string_view type) {
  return type == "response.output_text.delta" || type == "response.refusal.delta" ||
         type == "response.content_part.added" || type == "response.content_part.done" ||
         type == "response.function_call_arguments.delta" || type == "response.function_call_arguments.done" ||
         type == "response.reasoning_summary_text.delta" || type == "response.reasoning_text.delta";
}

// Which type of item has such pieces.
std::string_view type_of_item(std::string_view piece) {
  if (piece.starts_with("response.function_call_arguments.")) return "function_call";
  return piece.starts_with("response.reasoning_") ? "reasoning" : "message";
}

bool is_usable_index(const std::optional<std::int64_t>& index) {
  return index && *index >= 0 && *index < static_cast<std::int64_t>(kMessageBlocksMax);
}

std::string_view text_or_empty(const Json& json, std::string_view key) {
  return find_string(json, key).value_or(std::string_view());
}

Block new_block(const Json& json, std::string_view type) {
  if (type == "reasoning") return ThinkingBlock();
  if (type != "function_call") return OtherBlock{json};
  ToolUseBlock use;
  use.call.id = string_or_empty(json, "call_id");
  use.call.name = string_or_empty(json, "name");
  use.extra = without(json.get_object(), {"type", "id", "call_id", "name", "arguments", "status"});
  return use;
}

// The parts of a thought, as paragraphs. Summaries are what most models show; some send the thought itself.
std::string thinking_of(const Json& json) {
  std::string thinking;
  for (const std::string_view key : {"summary", "content"}) {
    const JsonArray* parts = find_array(json, key);
    for (std::size_t i = 0; parts && i < parts->size(); ++i) {
      if (!thinking.empty()) thinking += "\n\n";
      thinking += text_or_empty((*parts)[i], "text");
    }
    if (!thinking.empty()) break;
  }
  return thinking;
}

std::string to_stop_reason(std::string_view incomplete_reason) {
  if (incomplete_reason == "max_output_tokens") return "max_tokens";
  if (incomplete_reason == "content_filter") return "refusal";
  return std::string(incomplete_reason);
}

}  // namespace

bool OpenAiResponsesStream::recognises(const Json& event) {
  return text_or_empty(event, "type").starts_with("response.");
}

Result<void> OpenAiResponsesStream::handle(const Json& event, std::string_view text) {
  const std::string_view type = text_or_empty(event, "type");
  const std::string_view status = final_status(type);
  if (!is_start(type) && status.empty()) return handle_item_event(type, event, text);

  const Json* response = find(event, "response");
  if (!response || !response->is_object()) return malformed(std::string(type) + " without a response");
  if (type == "response.created" && assembler_.in_message()) {
    assembler_.fail(Error{Errc::io, "a new response began before the last one was completed"});
  }
  if (!assembler_.in_message()) start_message(*response);
  return status.empty() ? Result<void>() : finish_response(*response, status);
}

Result<void> OpenAiResponsesStream::handle_body(const Json& response) {
  start_message(response);
  return finish_response(response, text_or_empty(response, "status"));
}

Result<void> OpenAiResponsesStream::end() { return fail(Errc::io, "the stream broke off before response.completed"); }

void OpenAiResponsesStream::start_message(const Json& response) {
  next_key_ = 0;
  items_.clear();
  index_of_id_.clear();
  has_call_ = false;
  has_refusal_ = false;
  assembler_.begin(string_or_empty(response, "id"), string_or_empty(response, "model"));
}

Result<void> OpenAiResponsesStream::handle_item_event(std::string_view type, const Json& event, std::string_view text) {
  const bool added = type == "response.output_item.added";
  const bool done = type == "response.output_item.done";
  if (!assembler_.in_message() || (!added && !done && !is_piece(type))) return {};

  const auto index = index_of_event(type, event);
  if (!index) return std::unexpected(index.error());
  const auto known = items_.find(*index);
  if (!added && !done) {
    if (known == items_.end()) return malformed(std::string(type) + " for an output item that has not begun");
    return handle_piece(type, known->second, event, text);
  }
  const Json* json = find(event, "item");
  if (!json || !json->is_object()) return malformed(std::string(type) + " without an item");
  if (done) return finish_item(*index, *json);
  if (known != items_.end()) return malformed("output item " + std::to_string(*index) + " begins twice");
  const auto item = add_item(*index, *json);
  return item ? Result<void>() : std::unexpected(item.error());
}

Result<void> OpenAiResponsesStream::handle_piece(std::string_view type, Item& item, const Json& event,
                                                 std::string_view text) {
  const std::string delta = piece_of(event, "delta", text, {});
  if (item.type == "function_call") {
    const Assembler::Key key = item.parts.at(0);
    if (type == "response.function_call_arguments.delta") return assembler_.append(key, delta);
    if (item.done) return {};
    const std::string_view arguments = text_or_empty(event, "arguments");
    if (type != "response.function_call_arguments.done" || is_blank(arguments)) return {};
    return assembler_.replace(key, arguments);
  }
  if (item.done) return {};  // its final form is known; unlike with a call, a late piece changes nothing
  if (item.type == "reasoning") {
    const bool summary = type == "response.reasoning_summary_text.delta";
    if (!summary && type != "response.reasoning_text.delta") return {};
    return append_thought(item, summary, find_int(event, summary ? "summary_index" : "content_index").value_or(0),
                          delta);
  }
  if (item.type != "message") return {};

  const bool names_part = find(event, "content_index") != nullptr;
  const auto part_index = names_part ? find_int(event, "content_index") : std::optional<std::int64_t>(0);
  if (!is_usable_index(part_index)) return malformed(std::string(type) + " without a usable content_index");
  if (type == "response.output_text.delta") return append_to_part(item, *part_index, false, delta);
  if (type == "response.refusal.delta") return append_to_part(item, *part_index, true, delta);
  const Json* part = find(event, "part");
  if (part && type == "response.content_part.done") return set_part(item, *part_index, *part);
  // A text may stay empty: it has its place all the same.
  const bool announces_text = part && text_or_empty(*part, "type") == "output_text";
  if (announces_text && !item.parts.contains(*part_index)) return set_text(item, *part_index, *part);
  return {};
}

Result<OpenAiResponsesStream::Item*> OpenAiResponsesStream::add_item(std::int64_t index, const Json& json) {
  Item item;
  item.type = string_or_empty(json, "type");
  const std::string id = string_or_empty(json, "id");
  const std::string call_id = string_or_empty(json, "call_id");
  const std::size_t bytes = id.size() + call_id.size() + item.type.size();
  if (auto charged = assembler_.charge(bytes); !charged) return std::unexpected(charged.error());
  if (item.type != "message") {  // the parts of a message are blocks, not itself
    const auto opened = open_part(item, 0, new_block(json, item.type));
    if (!opened) return std::unexpected(opened.error());
  }
  if (item.type == "function_call") has_call_ = true;
  for (const std::string& name : {id, call_id}) {
    if (!name.empty()) index_of_id_.emplace(name, index);
  }
  return &items_.emplace(index, std::move(item)).first->second;
}

Result<void> OpenAiResponsesStream::finish_item(std::int64_t index, const Json& json) {
  const auto found = items_.find(index);
  Item* item = found == items_.end() ? nullptr : &found->second;
  if (!item) {
    const auto added = add_item(index, json);
    if (!added) return std::unexpected(added.error());
    item = *added;
  }
  if (item->done) return amend_item(*item, json);
  if (item->type != text_or_empty(json, "type")) {
    return malformed("output item " + std::to_string(index) + " changes its type");
  }
  item->done = true;
  if (item->type == "message") return finish_parts(*item, json);
  const Assembler::Key key = item->parts.at(0);
  if (item->type == "function_call") return finish_call(key, json);
  if (item->type == "reasoning") return finish_thinking(key, json);
  return finish_other(key, json);
}

Result<void> OpenAiResponsesStream::finish_parts(Item& item, const Json& json) {
  const JsonArray* content = find_array(json, "content");
  for (std::size_t i = 0; content && i < content->size(); ++i) {
    if (auto set = set_part(item, static_cast<std::int64_t>(i), (*content)[i]); !set) return set;
  }
  // Whether it is a remark on the way or the answer: the API wants to be told again.
  const std::string_view phase = text_or_empty(json, "phase");
  for (const auto& [index, key] : item.parts) {
    Block* block = phase.empty() ? nullptr : assembler_.find_open(key);
    if (auto* text = block ? std::get_if<TextBlock>(block) : nullptr) {
      if (auto charged = assembler_.charge(phase.size()); !charged) return charged;
      text->extra["phase"] = std::string(phase);
    }
    if (auto closed = assembler_.close(key); !closed) return closed;
  }
  return {};
}

// What the whole response says of an item that has ended: the SDKs keep this last word. Thoughts are sealed anew each
// time they are sent, results of the server's own tools and citations may be there only now. A call may be running.
Result<void> OpenAiResponsesStream::amend_item(const Item& item, const Json& json) {
  if (item.type == "function_call" || item.type != text_or_empty(json, "type")) return {};
  if (item.type == "reasoning") return seal_thinking(item.parts.at(0), json);
  if (item.type != "message") return amend_part(item.parts.at(0), json);
  const JsonArray* content = find_array(json, "content");
  for (std::size_t i = 0; content && i < content->size(); ++i) {
    const auto known = item.parts.find(static_cast<std::int64_t>(i));
    if (known == item.parts.end()) continue;
    if (auto amended = amend_part(known->second, (*content)[i]); !amended) return amended;
  }
  return {};
}

Result<void> OpenAiResponsesStream::amend_part(Assembler::Key key, const Json& json) {
  Block* block = assembler_.find_any(key);
  auto* other = block ? std::get_if<OtherBlock>(block) : nullptr;
  auto* text = block ? std::get_if<TextBlock>(block) : nullptr;
  if (other && other->json != json) {
    if (auto charged = assembler_.charge(to_json(json).size()); !charged) return charged;
    other->json = json;
  }
  const std::string_view last_text = text ? text_or_empty(json, "text") : std::string_view();
  if (!last_text.empty() && text->text != last_text) {
    if (auto charged = assembler_.charge(last_text.size()); !charged) return charged;
    text->text = last_text;
  }
  const JsonArray* annotations = text ? find_array(json, "annotations") : nullptr;
  if (!annotations || annotations->empty()) return {};
  if (auto charged = assembler_.charge(to_json(*annotations).size()); !charged) return charged;
  text->extra["annotations"] = *annotations;
  return {};
}

Result<void> OpenAiResponsesStream::finish_call(Assembler::Key key, const Json& json) {
  Block* block = assembler_.find_open(key);
  if (!block) return {};
  ToolCall& call = std::get<ToolUseBlock>(*block).call;
  const std::string_view id = text_or_empty(json, "call_id");
  const std::string_view name = text_or_empty(json, "name");
  if (auto charged = assembler_.charge(id.size() + name.size()); !charged) return charged;
  if (!id.empty()) call.id = id;
  if (!name.empty()) call.name = name;

  const Json* arguments = find(json, "arguments");
  if (arguments && arguments->is_object()) {  // not the API's way, but some servers'
    if (auto set = assembler_.replace(key, to_json(*arguments)); !set) return set;
  }
  if (const std::string_view text = text_or_empty(json, "arguments"); !is_blank(text)) {
    if (auto set = assembler_.replace(key, text); !set) return set;
  }
  return assembler_.close(key);
}

Result<void> OpenAiResponsesStream::finish_thinking(Assembler::Key key, const Json& json) {
  if (const std::string thinking = thinking_of(json); !thinking.empty()) {
    if (auto set = assembler_.replace(key, thinking); !set) return set;
  }
  if (auto sealed = seal_thinking(key, json); !sealed) return sealed;
  return assembler_.close(key);
}

Result<void> OpenAiResponsesStream::seal_thinking(Assembler::Key key, const Json& json) {
  Block* block = assembler_.find_any(key);
  auto* thinking = block ? std::get_if<ThinkingBlock>(block) : nullptr;
  if (!thinking) return {};
  thinking->signature = string_or_empty(json, "encrypted_content");
  thinking->extra = without(json.get_object(), {"type", "encrypted_content"});
  return assembler_.charge(to_json(json).size());
}

Result<void> OpenAiResponsesStream::finish_other(Assembler::Key key, const Json& json) {
  if (assembler_.find_open(key)) {
    if (auto replaced = assembler_.replace_json(key, json); !replaced) return replaced;
  }
  return assembler_.close(key);
}

Result<Assembler::Key> OpenAiResponsesStream::open_part(Item& item, std::int64_t content_index, Block block) {
  const Assembler::Key key = next_key_++;
  if (auto opened = assembler_.open(key, std::move(block)); !opened) return std::unexpected(opened.error());
  item.parts.emplace(content_index, key);
  return key;
}

Result<void> OpenAiResponsesStream::append_to_part(Item& item, std::int64_t content_index, bool refusal,
                                                   std::string_view piece) {
  if (piece.empty()) return {};
  if (!item.parts.contains(content_index)) {
    Block block = TextBlock();
    if (refusal) block = OtherBlock{JsonObject{{"type", "refusal"}}};
    if (const auto opened = open_part(item, content_index, std::move(block)); !opened) {
      return std::unexpected(opened.error());
    }
  }
  const Assembler::Key key = item.parts.at(content_index);
  if (refusal) {
    has_refusal_ = true;
    return assembler_.append_to_member(key, "refusal", piece);
  }
  Block* block = assembler_.find_open(key);
  if (block && !std::holds_alternative<TextBlock>(*block)) return malformed("a part of a message changes its type");
  return assembler_.append(key, piece);
}

Result<void> OpenAiResponsesStream::set_text(Item& item, std::int64_t content_index, const Json& part) {
  const std::string_view text = text_or_empty(part, "text");
  if (!item.parts.contains(content_index)) {
    const auto opened = open_part(item, content_index, TextBlock());
    if (!opened) return std::unexpected(opened.error());
  }
  const Assembler::Key key = item.parts.at(content_index);
  Block* block = assembler_.find_open(key);
  auto* known = block ? std::get_if<TextBlock>(block) : nullptr;
  if (!known) return malformed("a part of a message changes its type");
  if (const JsonArray* annotations = find_array(part, "annotations"); annotations && !annotations->empty()) {
    if (auto charged = assembler_.charge(to_json(*annotations).size()); !charged) return charged;
    known->extra["annotations"] = *annotations;
  }
  return text.empty() ? Result<void>() : assembler_.replace(key, text);
}

// The final form of a part.
Result<void> OpenAiResponsesStream::set_part(Item& item, std::int64_t content_index, const Json& part) {
  const std::string_view type = text_or_empty(part, "type");
  const bool known = item.parts.contains(content_index);
  if (type == "output_text") {
    return set_text(item, content_index, part);
  }
  if (type == "refusal") has_refusal_ = true;
  if (!known) {
    const auto opened = open_part(item, content_index, OtherBlock{part});
    return opened ? Result<void>() : std::unexpected(opened.error());
  }
  const Assembler::Key key = item.parts.at(content_index);
  const Block* block = assembler_.find_open(key);
  if (!block || !std::holds_alternative<OtherBlock>(*block)) return malformed("a part of a message changes its type");
  return assembler_.replace_json(key, part);
}

Result<void> OpenAiResponsesStream::append_thought(Item& item, bool summary, std::int64_t part,
                                                   std::string_view piece) {
  const Assembler::Key key = item.parts.at(0);
  Block* block = assembler_.find_open(key);
  const std::pair<bool, std::int64_t> thought{summary, part};
  if (block && item.thought != thought && !std::get<ThinkingBlock>(*block).thinking.empty()) {
    if (auto added = assembler_.append(key, "\n\n"); !added) return added;
  }
  item.thought = thought;
  return assembler_.append(key, piece);
}

std::optional<std::int64_t> OpenAiResponsesStream::known_index(std::string_view id) const {
  const auto found = index_of_id_.find(std::string(id));
  return found == index_of_id_.end() ? std::nullopt : std::optional(found->second);
}

Result<std::int64_t> OpenAiResponsesStream::index_of_event(std::string_view type, const Json& event) const {
  if (const Json* given = find(event, "output_index"); given && !given->is_null()) {
    const auto index = find_int(event, "output_index");
    if (!is_usable_index(index)) return malformed(std::string(type) + " without a usable output_index");
    return *index;
  }
  const Json* item = find(event, "item");
  for (const Json* named : {&event, item}) {
    for (const std::string_view key : {"item_id", "id", "call_id"}) {
      const auto known = named ? known_index(text_or_empty(*named, key)) : std::nullopt;
      if (known) return *known;
    }
  }
  if (item && is_usable_index(next_index())) return next_index();
  const bool means_last = !item && !find(event, "item_id") && !items_.empty();
  if (means_last && items_.rbegin()->second.type == type_of_item(type)) return items_.rbegin()->first;
  return malformed(std::string(type) + " for an output item that has not begun");
}

std::int64_t OpenAiResponsesStream::index_of(const Json& json, std::int64_t position) const {
  if (const auto known = known_index(text_or_empty(json, "id"))) return *known;
  if (const auto known = known_index(text_or_empty(json, "call_id"))) return *known;
  const auto at_position = items_.find(position);
  if (at_position == items_.end()) return position;
  if (at_position->second.type == text_or_empty(json, "type")) return position;
  return next_index();
}

Result<void> OpenAiResponsesStream::finish_response(const Json& response, std::string_view status) {
  Message& head = assembler_.head();
  if (const Json* usage = find(response, "usage")) head.usage = *usage;
  if (status == "failed" || status == "cancelled") {
    auto error = read_provider_error(find(response, "error"));
    if (!error) error = ProviderError{"the response was " + std::string(status), ""};
    assembler_.fail(Error{Errc::failed, std::move(error->message)}, std::move(error->code));
    return {};
  }
  if (status != "completed" && status != "incomplete") {
    return fail(Errc::io, "the response is not complete: its status is " + json_quote(status));
  }
  const JsonArray* output = find_array(response, "output");
  for (std::size_t i = 0; output && i < output->size(); ++i) {
    const Json& json = (*output)[i];
    if (!json.is_object()) return malformed("an output item that is not an object");
    if (auto done = finish_item(index_of(json, static_cast<std::int64_t>(i)), json); !done) return done;
  }
  if (status == "completed") {
    assembler_.stop(has_call_ ? "tool_use" : has_refusal_ ? "refusal" : "end_turn", "completed");
  } else {
    const Json* details = find(response, "incomplete_details");
    std::string_view reason = details ? text_or_empty(*details, "reason") : std::string_view();
    if (reason.empty()) reason = "incomplete";
    assembler_.stop(to_stop_reason(reason), std::string(reason));
    if (auto closed = finish_open_calls(); !closed) return closed;
  }
  assembler_.finish();
  return {};
}

// Of a response that was cut off: what is not whole becomes an invalid call, so that it can be answered.
Result<void> OpenAiResponsesStream::finish_open_calls() {
  for (const auto& [index, item] : items_) {
    if (item.type != "function_call") continue;
    if (auto closed = assembler_.close(item.parts.at(0)); !closed) return closed;
  }
  return {};
}

}  // namespace deft
