#include "deft/core/hook_matcher.h"

#include <algorithm>
#include <utility>

#include "deft/base/json.h"
#include "deft/core/rule.h"

namespace deft {
namespace {

constexpr std::string_view kBlanks = " \t";

bool is_list(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const bool is_letter_or_digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return is_letter_or_digit || std::string_view("_ -,|").find(c) != std::string_view::npos;
  });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

Result<HookMatcher> HookMatcher::parse(std::string_view text) {
  HookMatcher matcher;
  matcher.text_ = text;
  if (text.empty() || text == "*") return matcher;
  if (!is_list(text)) {
    auto pattern = Pattern::compile(text);
    if (!pattern) return fail(Errc::invalid_input, "the matcher " + json_quote(text) + ": " + pattern.error().message);
    matcher.pattern_ = std::make_shared<const Pattern>(std::move(*pattern));
    return matcher;
  }
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("|,", start), text.size());
    const std::string_view name = trimmed(text.substr(start, end - start));
    if (!name.empty()) matcher.names_.emplace_back(name);
    start = end + 1;
  }
  // Only separators: a list of nothing, not of everything.
  if (matcher.names_.empty()) return fail(Errc::invalid_input, "the matcher " + json_quote(text) + " names nothing");
  return matcher;
}

bool HookMatcher::matches(std::string_view subject) const {
  if (pattern_) return pattern_->search(subject) != Match::no;
  if (names_.empty()) return true;
  return std::ranges::any_of(
      names_, [&](const std::string& name) { return name == subject || todays_tool_name(name) == subject; });
}

}  // namespace deft
