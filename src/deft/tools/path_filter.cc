#include "deft/tools/path_filter.h"

#include <algorithm>

#include "deft/base/path.h"

namespace deft {
namespace {

// Commas within braces or brackets belong to the pattern, and a backslash keeps a separator from being one.
std::vector<std::string> split_patterns(std::string_view text) {
  std::vector<std::string> parts(1);
  std::size_t braces = 0;
  bool in_bracket = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      const char next = text[++i];
      if (next != ' ' && next != ',') parts.back() += c;
      parts.back() += next;
      continue;
    }
    if (c == '{') ++braces;
    if (c == '}' && braces > 0) --braces;
    if (c == '[') in_bracket = true;
    if (c == ']') in_bracket = false;
    const bool separates = c == ' ' || c == '\t' || c == '\n' || (c == ',' && braces == 0 && !in_bracket);
    if (!separates) {
      parts.back() += c;
    } else if (!parts.back().empty()) {
      parts.emplace_back();
    }
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

}  // namespace

Result<PathFilter> PathFilter::parse(std::string_view patterns, std::string_view below) {
  PathFilter filter;
  filter.below_ = below;
  for (std::string_view pattern : split_patterns(patterns)) {
    const bool leaves_out = pattern.starts_with('!');
    if (leaves_out) pattern.remove_prefix(1);
    const bool folders_only = pattern.ends_with('/');
    if (folders_only) pattern.remove_suffix(1);
    const bool whole_path = pattern.find('/') != std::string_view::npos;
    if (pattern.starts_with("./")) pattern.remove_prefix(2);
    if (pattern.starts_with('/')) pattern.remove_prefix(1);
    if (pattern.empty()) continue;
    auto glob = Glob::compile(pattern);
    if (!glob) return std::unexpected(glob.error());
    filter.chooses_ = filter.chooses_ || !leaves_out;
    filter.items_.push_back({leaves_out, folders_only, whole_path, std::move(*glob)});
  }
  return filter;
}

WalkWish PathFilter::wish(std::string_view path, bool is_folder) const {
  if (items_.empty()) return WalkWish::by_rules;
  std::string from_outside;
  if (!below_.empty()) from_outside.append(below_).append(path);
  for (auto item = items_.rbegin(); item != items_.rend(); ++item) {
    if (item->folders_only && !is_folder) continue;
    if (matches(*item, path, from_outside)) return item->leaves_out ? WalkWish::skip : WalkWish::take;
  }
  if (!chooses_) return WalkWish::by_rules;
  return is_folder && may_hold_chosen(path) ? WalkWish::by_rules : WalkWish::skip;
}

bool PathFilter::matches(const Item& item, std::string_view path, std::string_view from_outside) const {
  if (!item.whole_path) return item.glob.matches(file_name(path));
  return item.glob.matches(path) || (!from_outside.empty() && item.glob.matches(from_outside));
}

bool PathFilter::may_hold_chosen(std::string_view folder) const {
  return std::ranges::any_of(items_, [&](const Item& item) {
    if (item.leaves_out) return false;
    if (!item.whole_path || item.glob.may_match_below(folder)) return true;
    return !below_.empty() && item.glob.may_match_below(below_ + std::string(folder));
  });
}

}  // namespace deft
