#include "deft/base/ignore.h"

#include "deft/base/path.h"

namespace deft {
namespace {

constexpr std::string_view kWildcards = "*?[\\";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Spaces at the end do not count, unless a backslash stands before them.
std::string_view without_trailing_spaces(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ') continue;
    if (line[i] == '\\') ++i;
    end = i + 1;
  }
  return line.substr(0, std::min(end, line.size()));
}

bool is_plain(std::string_view text) { return text.find_first_of(kWildcards) == std::string_view::npos; }

// ".tar" of "a.b.tar"; a name that begins with its only dot is all extension.
std::string_view extension(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

// "*.o": such a rule depends on the extension alone.
bool is_extension_rule(std::string_view pattern) {
  return pattern.starts_with("*.") && is_plain(pattern.substr(1)) && pattern.rfind('.') == 1;
}

}  // namespace

IgnoreFile IgnoreFile::parse(std::string_view text) {
  IgnoreFile file;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty() && file.rules_.size() < kIgnoreRulesMax) {
    const std::size_t newline = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(std::min(newline + 1, text.size()));
    line = line.substr(0, line.find('\0'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    file.add_line(line);
  }
  return file;
}

void IgnoreFile::add_line(std::string_view line) {
  if (line.empty() || line.front() == '#') return;
  line = without_trailing_spaces(line);
  Rule rule;
  if (line.starts_with('!')) {
    rule.keeps = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    rule.folders_only = true;
    line.remove_suffix(1);
  }
  rule.whole_path = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return;

  const auto number = static_cast<std::uint32_t>(rules_.size());
  if (is_plain(line)) {
    (rule.whole_path ? by_path_ : by_name_)[std::string(line)].push_back(number);
  } else if (!rule.whole_path && is_extension_rule(line)) {
    by_extension_[std::string(line.substr(1))].push_back(number);
  } else {
    auto glob = Glob::compile(line, {.braces = false, .characters = false});
    if (!glob) return;
    rule.glob = std::move(*glob);
    by_glob_.push_back(number);
  }
  rules_.push_back(std::move(rule));
}

IgnoreVerdict IgnoreFile::match(std::string_view path, bool is_folder) const {
  const std::string_view name = file_name(path);
  std::int64_t last = -1;
  find_last(by_name_, name, is_folder, last);
  find_last(by_path_, path, is_folder, last);
  if (!by_extension_.empty()) find_last(by_extension_, extension(name), is_folder, last);
  for (auto number = by_glob_.rbegin(); number != by_glob_.rend() && *number > last; ++number) {
    const Rule& rule = rules_[*number];
    if (rule.folders_only && !is_folder) continue;
    if (rule.glob->matches(rule.whole_path ? path : name)) {
      last = *number;
      break;
    }
  }
  if (last < 0) return IgnoreVerdict::no_rule;
  return rules_[static_cast<std::size_t>(last)].keeps ? IgnoreVerdict::kept : IgnoreVerdict::ignored;
}

void IgnoreFile::find_last(const RulesByText& rules, std::string_view text, bool is_folder, std::int64_t& last) const {
  if (rules.empty()) return;
  const auto found = rules.find(text);
  if (found == rules.end()) return;
  for (auto number = found->second.rbegin(); number != found->second.rend() && *number > last; ++number) {
    if (rules_[*number].folders_only && !is_folder) continue;
    last = *number;
    return;
  }
}

}  // namespace deft
