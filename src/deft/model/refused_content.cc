#include "deft/model/refused_content.h"

#include <algorithm>
#include <array>
#include <vector>

#include "deft/base/contains.h"
#include "deft/core/message_content.h"
#include "deft/model/event_json.h"

namespace deft {
namespace {

constexpr Duration kLearnedDelay = std::chrono::milliseconds(1);  // there is nothing to wait for
constexpr std::string_view kInsteadOfPicture = "(A picture or document stood here. It cannot be shown to this model.)";

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return contains(text, word); });
}

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return text;
}

bool has_status(const ModelFailure& failure, std::initializer_list<int> statuses) {
  return failure.kind == ModelFailure::Kind::status && std::ranges::find(statuses, failure.status) != statuses.end();
}

bool is_thought(std::string_view block) {
  const auto type = raw_member(block, "type");
  return type == R"("thinking")" || type == R"("redacted_thinking")";
}

// A document may be a text: that is no more than that.
bool is_picture(const Json& block) {
  const auto type = find_string(block, "type");
  if (type == "image") return true;
  const Json* source = find(block, "source");
  const auto kind = source ? find_string(*source, "type") : std::nullopt;
  return type == "document" && kind != "text" && kind != "content";
}

void replace_pictures(JsonArray& blocks) {
  for (Json& block : blocks) {
    if (!block.is_object()) continue;
    if (is_picture(block)) block = JsonObject{{"type", "text"}, {"text", kInsteadOfPicture}};
    Json* content = block.get_object().if_contains("content");
    if (content && content->is_array()) replace_pictures(content->get_array());
  }
}

}  // namespace

bool refuses_thoughts(const ModelFailure& failure) {
  // 404: a server that keeps nothing looks for an item that it has not kept.
  if (!has_status(failure, {400, 404, 422})) return false;
  const std::string& said = failure.message;
  if (contains(said, "thinking") && contains_any(said, {"signature", "cannot be modified", "bound to a different"})) {
    return true;
  }
  const bool is_wish = contains(said, "not supported");  // to be given some, not to take it back
  if (!is_wish && contains_any(said, {"ncrypted content", "encrypted_content"})) return true;
  if (contains(said, "Items are not persisted")) return true;
  return contains(said, "reasoning") && contains_any(said, {"without its required", "required 'reasoning' item"});
}

bool refuses_pictures(const ModelFailure& failure) {
  const std::string said = in_small_letters(failure.message);
  if (!contains_any(said, {"image", "pdf", "multimodal", "mmproj", "input_file", "'file'", "`file`", "type: file"})) {
    return false;
  }
  if (has_status(failure, {400, 413, 415, 422})) return true;
  // llama.cpp, OpenRouter. Such an answer may have other reasons to speak of pictures.
  return has_status(failure, {404, 500, 501}) && contains_any(said, {"not support", "that support", "mmproj"});
}

RefusedUntil RefusedContent::until() const {
  const std::lock_guard lock(mutex_);
  return until_;
}

// What was left out already is not what is wrong.
void RefusedContent::learn(std::uint64_t newest, const RefusedUntil& asked, ModelFailure& failure) {
  const bool thoughts = newest > asked.thoughts && refuses_thoughts(failure);
  const bool pictures = newest > asked.pictures && refuses_pictures(failure);
  if (!thoughts && !pictures) return;
  failure.should_retry = true;
  failure.retry_after = kLearnedDelay;
  const std::lock_guard lock(mutex_);
  if (thoughts) until_.thoughts = std::max(until_.thoughts, newest);
  if (pictures) until_.pictures = std::max(until_.pictures, newest);
}

std::string without_thoughts(std::string_view content) {
  if (!contains_any(content, {R"("type":"thinking")", R"("type":"redacted_thinking")"})) return std::string(content);
  std::vector<std::string> blocks;
  for (const std::string_view block : raw_elements(content)) {
    if (!is_thought(block)) blocks.emplace_back(block);
  }
  return content_of(blocks);
}

std::string without_pictures(std::string_view content) {
  if (!contains_any(content, {R"("type":"image")", R"("type":"document")"})) return std::string(content);
  auto blocks = parse_json(content);
  if (!blocks || !blocks->is_array()) return std::string(content);
  replace_pictures(blocks->get_array());
  return to_json(*blocks);
}

}  // namespace deft
