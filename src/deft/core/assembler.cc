#include "deft/core/assembler.h"

#include <algorithm>

#include "deft/base/check.h"

namespace deft {
namespace {

std::unexpected<Error> malformed(const std::string& what) {
  return fail(Errc::invalid_json, "malformed stream: " + what);
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// Strict first. Half a surrogate pair is the one slip of models that we repair; the text is then written anew, so
// that it stays the text of the value for every reader.
Result<Json> parse_input(std::string& text) {
  auto input = parse_json(text, {.depth_max = kCallInputDepthMax});
  if (!input) {
    auto repaired = parse_json(text, {.depth_max = kCallInputDepthMax, .replace_lone_surrogates = true});
    if (!repaired) return deft::fail(input.error().code, "the input is not usable JSON: " + input.error().message);
    text = to_json(*repaired);
    input = std::move(repaired);
  }
  if (!input->is_object()) return deft::fail(Errc::invalid_json, "the input is not a JSON object");
  return input;
}

// Where the pieces of a block are collected.
std::string& text_of(Block& block, std::string& input_text_of_other) {
  if (auto* text = std::get_if<TextBlock>(&block)) return text->text;
  if (auto* thinking = std::get_if<ThinkingBlock>(&block)) return thinking->thinking;
  if (auto* use = std::get_if<ToolUseBlock>(&block)) return use->call.input_text;
  return input_text_of_other;
}

std::size_t size_of(const JsonObject& object) { return object.empty() ? 0 : to_json(object).size(); }

std::size_t size_of(const Block& block) {
  if (const auto* text = std::get_if<TextBlock>(&block)) return text->text.size() + size_of(text->extra);
  if (const auto* thinking = std::get_if<ThinkingBlock>(&block)) {
    return thinking->thinking.size() + thinking->signature.size() + size_of(thinking->extra);
  }
  if (const auto* use = std::get_if<ToolUseBlock>(&block)) {
    return use->call.id.size() + use->call.name.size() + use->call.input_text.size() + size_of(use->extra);
  }
  return to_json(std::get<OtherBlock>(block).json).size();
}

}  // namespace

void Assembler::begin(std::string id, std::string model) {
  DEFT_CHECK(!in_message_);
  in_message_ = true;
  ++messages_begun_;
  message_.id = std::move(id);
  message_.model = std::move(model);
}

Assembler::Entry* Assembler::find_entry(Key key) {
  const auto found = entry_of_key_.find(key);
  return found == entry_of_key_.end() ? nullptr : &entries_[found->second];
}

Result<void> Assembler::charge(std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ <= kMessageBytesMax) return {};
  return deft::fail(Errc::limit, "the message is larger than " + std::to_string(kMessageBytesMax) + " bytes");
}

Result<void> Assembler::open(Key key, Block block) {
  if (!in_message_) return malformed("a block begins outside a message");
  if (entry_of_key_.contains(key)) return malformed("block " + std::to_string(key) + " begins twice");
  if (entries_.size() == kMessageBlocksMax) {
    return deft::fail(Errc::limit, "the message has more than " + std::to_string(kMessageBlocksMax) + " blocks");
  }
  if (auto charged = charge(size_of(block)); !charged) return charged;

  if (std::holds_alternative<ToolUseBlock>(block)) calls_.push_back(entries_.size());
  entry_of_key_.emplace(key, entries_.size());
  entries_.push_back({.block = std::move(block), .input_text = {}});
  Entry& entry = entries_.back();
  const std::string begins_with = std::exchange(text_of(entry.block, entry.input_text), {});
  add_piece(entry, begins_with);
  report_calls();  // a call without input may have waited to see that the message goes on
  return {};
}

Result<void> Assembler::append(Key key, std::string_view piece) {
  if (piece.empty()) return {};
  Entry* entry = find_entry(key);
  if (!entry) return malformed("a piece of block " + std::to_string(key) + ", which has not begun");
  if (entry->closed) return malformed("a piece of block " + std::to_string(key) + ", which has ended");
  if (auto charged = charge(piece.size()); !charged) return charged;

  add_piece(*entry, piece);
  return {};
}

void Assembler::add_piece(Entry& entry, std::string_view piece) {
  const bool is_plain = !entry.joiner.waits() && !has_half_at_edge(piece);
  if (is_plain) return add_text(entry, piece);
  add_text(entry, entry.joiner.add(piece));
}

void Assembler::add_text(Entry& entry, std::string_view text) {
  if (text.empty()) return;
  if (auto* other = std::get_if<OtherBlock>(&entry.block); other && !entry.text_member.empty()) {
    Json& member = other->json.get_object()[entry.text_member];
    if (!member.is_string()) member = "";
    member.get_string().append({text.data(), text.size()});
    return;
  }
  text_of(entry.block, entry.input_text) += text;
  if (std::holds_alternative<TextBlock>(entry.block)) events_.push_back(TextDelta{std::string(text)});
  if (std::holds_alternative<ThinkingBlock>(entry.block)) events_.push_back(ThinkingDelta{std::string(text)});
}

Result<void> Assembler::replace(Key key, std::string_view whole) {
  Entry* entry = find_entry(key);
  if (!entry || entry->closed) return malformed("the end of block " + std::to_string(key) + ", which is not open");
  entry->joiner.forget();
  std::string& text = text_of(entry->block, entry->input_text);
  if (whole.starts_with(text)) return append(key, whole.substr(text.size()));
  if (auto charged = charge(whole.size()); !charged) return charged;
  text = whole;
  return {};
}

Result<void> Assembler::append_to_member(Key key, std::string_view member, std::string_view piece) {
  Entry* entry = find_entry(key);
  auto* other = entry && !entry->closed ? std::get_if<OtherBlock>(&entry->block) : nullptr;
  if (!other || !other->json.is_object()) {
    return malformed("a piece of block " + std::to_string(key) + ", which is not open");
  }
  if (auto charged = charge(piece.size()); !charged) return charged;
  entry->text_member = member;
  add_piece(*entry, piece);
  return {};
}

Result<void> Assembler::replace_json(Key key, const Json& whole) {
  Entry* entry = find_entry(key);
  auto* other = entry && !entry->closed ? std::get_if<OtherBlock>(&entry->block) : nullptr;
  if (!other) return malformed("the end of block " + std::to_string(key) + ", which is not open or of another type");
  if (auto charged = charge(to_json(whole).size()); !charged) return charged;
  entry->joiner.forget();
  other->json = whole;
  return {};
}

Block* Assembler::find_open(Key key) {
  Entry* entry = find_entry(key);
  return entry && !entry->closed ? &entry->block : nullptr;
}

Block* Assembler::find_any(Key key) {
  Entry* entry = find_entry(key);
  return entry ? &entry->block : nullptr;
}

bool Assembler::input_is_whole(Key key) const {
  const auto found = entry_of_key_.find(key);
  return found != entry_of_key_.end() && has_whole_input(entries_[found->second]);
}

void Assembler::close_whole_calls() {
  for (const std::size_t at : calls_) {
    if (has_whole_input(entries_[at])) close(entries_[at]);
  }
  report_calls();
}

bool Assembler::has_whole_input(const Entry& entry) {
  const auto* use = std::get_if<ToolUseBlock>(&entry.block);
  if (!use || entry.closed) return false;
  const std::string& text = use->call.input_text;
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string::npos || text[last] != '}') return false;
  return parse_json(text, {.replace_lone_surrogates = true}).has_value();
}

Result<void> Assembler::close(Key key) {
  Entry* entry = find_entry(key);
  if (!entry) return malformed("the end of block " + std::to_string(key) + ", which has not begun");
  close(*entry);
  report_calls();
  return {};
}

void Assembler::close(Entry& entry) {
  if (entry.closed) return;
  entry.closed = true;
  add_text(entry, entry.joiner.finish());
  auto* other = std::get_if<OtherBlock>(&entry.block);
  if (!other || entry.input_text.empty() || !other->json.is_object()) return;
  // Not ours to run, so an input that does not parse is kept as the text that it is.
  auto input = parse_json(entry.input_text, {.depth_max = kCallInputDepthMax, .replace_lone_surrogates = true});
  other->json.get_object()["input"] = input ? std::move(*input) : Json(entry.input_text);
}

void Assembler::stop(std::string reason, std::string raw) {
  message_.stop_reason = std::move(reason);
  message_.raw_stop_reason = std::move(raw);
  report_calls();
}

// Did the message run into its limit before this call's input began? So it is if nothing but such calls follows: some
// servers announce all calls first and send their inputs afterwards.
bool Assembler::is_cut_off(std::size_t at) const {
  if (message_.stop_reason != "max_tokens" && message_.stop_reason != "model_context_window_exceeded") return false;
  return std::all_of(entries_.begin() + static_cast<std::ptrdiff_t>(at), entries_.end(), [](const Entry& entry) {
    const auto* use = std::get_if<ToolUseBlock>(&entry.block);
    return use && is_blank(use->call.input_text);
  });
}

// A call with no input at all may be one that takes none, or one that was cut off before its first byte. So the last
// block, closed and empty, waits until another block or the stop reason shows which.
void Assembler::report_calls() {
  for (; calls_reported_ < calls_.size(); ++calls_reported_) {
    const std::size_t at = calls_[calls_reported_];
    if (!entries_[at].closed) return;
    auto& [call, extra] = std::get<ToolUseBlock>(entries_[at].block);
    const bool ended = finishing_ || !message_.stop_reason.empty();
    if (is_blank(call.input_text) && is_last(at) && !ended) return;
    settle(call, is_cut_off(at));
    events_.push_back(CallReady{call, blocks_before(at), head_of(message_), extra});
  }
}

std::vector<Block> Assembler::blocks_before(std::size_t at) const {
  std::size_t first = at;
  while (first > 0 && !std::holds_alternative<ToolUseBlock>(entries_[first - 1].block)) --first;
  std::vector<Block> blocks;
  for (std::size_t i = first; i < at; ++i) blocks.push_back(entries_[i].block);
  return blocks;
}

void Assembler::settle(ToolCall& call, bool cut_off) {
  if (call.id.empty()) call.id = call_id_prefix_ + std::to_string(++calls_without_id_);
  if (call.name.empty()) {
    call.invalid = "the call names no tool";
    return;
  }
  if (is_blank(call.input_text)) {
    if (cut_off) {
      call.invalid = "the message was cut off (" + message_.raw_stop_reason + ") before the input of this call";
      return;
    }
    call.input_text = "{}";
  }
  auto input = parse_input(call.input_text);
  if (input) {
    call.input = std::move(*input);
  } else {
    call.invalid = std::move(input.error().message);
  }
}

void Assembler::finish() {
  DEFT_CHECK(in_message_);
  for (const std::size_t at : calls_) {
    if (entries_[at].closed) continue;
    const std::string id = std::get<ToolUseBlock>(entries_[at].block).call.id;
    return fail(Error{Errc::invalid_json, "malformed stream: the message ended inside the call " + json_quote(id)});
  }
  for (Entry& entry : entries_) close(entry);  // texts and the like, which some APIs never close
  finishing_ = true;
  report_calls();
  for (Entry& entry : entries_) message_.blocks.push_back(std::move(entry.block));
  events_.push_back(MessageDone{std::move(message_)});
  end_message();
}

void Assembler::fail(Error error, std::string provider_code) {
  std::size_t calls_seen = 0;
  for (Entry& entry : entries_) {
    const bool is_call = std::holds_alternative<ToolUseBlock>(entry.block);
    if (is_call && calls_seen++ >= calls_reported_) continue;
    if (!entry.closed && !std::holds_alternative<TextBlock>(entry.block)) continue;
    close(entry);
    message_.blocks.push_back(std::move(entry.block));
  }
  events_.push_back(MessageFailed{std::move(error), std::move(provider_code), std::move(message_)});
  end_message();
}

void Assembler::end_message() {
  in_message_ = false;
  finishing_ = false;
  message_ = {};
  entries_.clear();
  entry_of_key_.clear();
  calls_.clear();
  calls_reported_ = 0;
  bytes_ = 0;
}

}  // namespace deft
