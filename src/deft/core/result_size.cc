#include "deft/core/result_size.h"

#include <algorithm>

#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kBytesPerCharacterMax = 4;

// The base64 text of a block, in the API's words or in those of MCP; nothing if it has none.
std::optional<std::string_view> binary_data(const Json& block) {
  if (const Json* source = find(block, "source"); source && find_string(*source, "type") == "base64") {
    return find_string(*source, "data");
  }
  if (const Json* resource = find(block, "resource")) return find_string(*resource, "blob");
  return find_string(block, "data");
}

}  // namespace

std::size_t block_characters(const Json& block) {
  if (find_string(block, "type") == "image") return kPictureCharacters;
  if (const auto data = binary_data(block)) {
    const std::size_t bytes = data->size() / 4 * 3;
    return kPictureCharacters * std::max<std::size_t>(1, bytes / kBinaryBytesPerPicture);
  }
  if (find_string(block, "type") == "text") return count_characters(find_string(block, "text").value_or(""));
  return count_characters(to_json(block));
}

std::size_t result_characters(const ToolResult& result) {
  std::size_t characters = count_characters(result.text);
  for (const Json& block : result.blocks) characters += block_characters(block);
  return characters;
}

std::string_view result_body(const ToolResult& result) {
  std::string_view body = result.text;
  if (!result.note.empty() && body.ends_with(result.note)) body.remove_suffix(result.note.size());
  return body;
}

void cut_result(ToolResult& result, std::size_t characters_max, std::size_t message_max) {
  const std::string_view body = result_body(result);
  std::string_view shown = first_characters(body, characters_max);
  const std::size_t line_end = shown.rfind('\n');
  const bool is_cut = shown.size() < body.size();
  if (is_cut && line_end != std::string_view::npos && line_end >= shown.size() / 2) shown = shown.substr(0, line_end);
  std::size_t room = characters_max - count_characters(shown);

  JsonArray kept;
  for (const Json& block : result.blocks) {
    const std::size_t cost = block_characters(block);
    if (cost > room) break;
    room -= cost;
    kept.push_back(block);
  }
  std::string notice =
      "[Cut: the results of one message may have " + std::to_string(message_max) + " characters together. ";
  if (is_cut) {
    notice +=
        "Shown are " + std::to_string(count_characters(shown)) + " of " + std::to_string(count_characters(body)) + ". ";
  }
  if (kept.size() < result.blocks.size()) {
    notice += std::to_string(result.blocks.size() - kept.size()) + " of its pictures are left out. ";
  }
  notice += "For the rest make the call again in another message, with offset and limit.]";
  result.text = std::string(shown) + (shown.empty() ? "" : "\n\n") + notice + result.note;
  result.blocks = std::move(kept);
  result.is_cut = true;
}

bool has_more_characters_than(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return false;
  if (text.size() / kBytesPerCharacterMax > limit) return true;
  return count_characters(text) > limit;
}

}  // namespace deft
