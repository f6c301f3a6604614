#include "deft/core/history_text.h"

#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

std::string cut(std::string_view text, std::size_t characters_max) {
  const std::string_view start = first_characters(text, characters_max);
  return start.size() < text.size() ? std::string(start) + " […]" : std::string(start);
}

std::string content_text(const Json& content) {
  if (content.is_string()) return std::string(view(content.get_string()));
  std::string text;
  if (!content.is_array()) return text;
  for (const Json& part : content.get_array()) {
    if (!text.empty()) text += '\n';
    const auto said = find_string(part, "text");
    text += said ? std::string(*said) : "[" + std::string(find_string(part, "type").value_or("something")) + "]";
  }
  return text;
}

std::string block_text(const Json& block) {
  const std::string_view type = find_string(block, "type").value_or("");
  if (type == "text") return std::string(find_string(block, "text").value_or(""));
  if (type == "thinking" || type == "redacted_thinking") return "";
  if (type == "tool_use" || type == "server_tool_use") {
    const Json* input = find(block, "input");
    return "[call " + std::string(find_string(block, "name").value_or("")) + " " +
           cut(input ? to_json(*input) : "", kToldResultCharactersMax) + "]";
  }
  if (type == "tool_result") {
    const Json* content = find(block, "content");
    const bool is_error = find_bool(block, "is_error").value_or(false);
    return std::string(is_error ? "[error: " : "[result: ") +
           cut(content ? content_text(*content) : "", kToldResultCharactersMax) + "]";
  }
  return "[" + std::string(type) + "]";
}

std::string message_text(const HistoryMessage& message) {
  std::string text = message.role == Role::user ? "## User\n" : "## Assistant\n";
  const auto blocks = parse_json(message.content, {.replace_lone_surrogates = true});
  if (!blocks || !blocks->is_array()) return text;
  for (const Json& block : blocks->get_array()) {
    if (std::string said = block_text(block); !said.empty()) text += said + "\n";
  }
  return text;
}

}  // namespace

std::string history_text(const History& history, std::size_t characters_max) {
  std::vector<std::string> parts;
  std::size_t characters = 0;
  bool is_cut = false;
  for (auto message = history.rbegin(); message != history.rend(); ++message) {
    std::string text = message_text(*message);
    const std::size_t length = count_characters(text);
    if (characters + length > characters_max) {
      is_cut = true;
      // Of the newest one there is always something.
      if (parts.empty()) parts.push_back(cut(text, characters_max));
      break;
    }
    characters += length;
    parts.push_back(std::move(text));
  }
  std::string out = is_cut ? "[what came before is left out]\n" : "";
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) out += *part + "\n";
  return out;
}

}  // namespace deft
