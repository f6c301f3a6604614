#include "deft/core/rule_book.h"

#include <algorithm>
#include <limits>
#include <utility>
#include "deft/base/stable_sort.h"

namespace deft {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// To deny or ask, BASH is Bash: a slip of the finger must not open the door.
std::string key_of(RuleList list, std::string_view tool) {
  return list == RuleList::allow ? std::string(tool) : lower(tool);
}

// Where the name of a tool could be split into server and tool, if nobody says what its server is.
std::vector<std::size_t> server_ends(std::string_view tool) {
  std::vector<std::size_t> ends;
  if (!tool.starts_with("mcp__")) return ends;
  for (std::size_t at = tool.find("__", 6); at != std::string_view::npos && at + 2 < tool.size();
       at = tool.find("__", at + 1)) {
    ends.push_back(at);
  }
  return ends;
}

bool same_name(RuleList list, std::string_view wanted, std::string_view given) {
  return list == RuleList::allow ? wanted == given : matches_stars(lower(wanted), lower(given));
}

}  // namespace

void RuleBook::add(const Source& source) {
  for (const RuleList which : {RuleList::deny, RuleList::ask, RuleList::allow}) {
    if (which == RuleList::allow && !source.allow_applies) continue;
    for (const Rule& rule : source.rules.of(which)) {
      rules_.push_back({.rule = rule,
                        .list = which,
                        .source = source.source,
                        .origin = source.origin,
                        .meaning = meaning_of(rule, which, source.place)});
    }
  }
}

void RuleBook::finish() {
  stable_sort_by(rules_, [](const PlacedRule& rule) { return rule.source; });
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const PlacedRule& placed = rules_[i];
    List& where = lists_[static_cast<std::size_t>(placed.list)];
    if (placed.rule.tool.empty()) {
      where.nameless.push_back(i);
      continue;
    }
    if (placed.meaning.tool_is_pattern) {
      where.patterns.push_back(i);
      where.pattern_texts.push_back(key_of(placed.list, placed.rule.tool));
      continue;
    }
    // Monitor runs commands as Bash does: what is said against them there holds for both.
    const bool is_shared = placed.rule.tool == "Monitor" && placed.rule.specifier && placed.list != RuleList::allow;
    ToolRules& rules = where.by_tool[key_of(placed.list, is_shared ? "Bash" : placed.rule.tool)];
    if (std::holds_alternative<WholeTool>(placed.meaning.what)) {
      rules.whole.push_back(i);
      continue;
    }
    const auto* command = std::get_if<CommandPattern>(&placed.meaning.what);
    if (!command || placed.meaning.parameter) rules.narrow.push_back(i);
    if (!command) continue;
    const std::string_view word = command->first_word();
    (word.empty() ? rules.any_first_word : rules.by_first_word[std::string(word)]).push_back(i);
  }
}

const RuleBook::ToolRules* RuleBook::rules_of(RuleList which, std::string_view tool) const {
  const auto& by_tool = list(which).by_tool;
  const auto found = which == RuleList::allow ? by_tool.find(tool) : by_tool.find(lower(tool));
  return found == by_tool.end() ? nullptr : &found->second;
}

template <class Fits>
RuleBook::Found RuleBook::first(const Indices& indices, const Fits& fits) const {
  const auto found = std::ranges::find_if(indices, [&](std::size_t i) { return fits(rules_[i]); });
  return found == indices.end() ? nullptr : &rules_[*found];
}

template <class Fits>
RuleBook::Found RuleBook::first_narrow(RuleList which, std::string_view tool, const Fits& fits) const {
  const ToolRules* rules = rules_of(which, tool);
  return rules ? first(rules->narrow, fits) : nullptr;
}

template <class Fits>
RuleBook::Found RuleBook::first_pattern(RuleList which, std::string_view tool, const Fits& fits) const {
  const List& where = list(which);
  if (where.patterns.empty()) return nullptr;
  const std::string name = key_of(which, tool);
  for (std::size_t i = 0; i < where.patterns.size(); ++i) {
    const std::string_view pattern = where.pattern_texts[i];
    if (!name.starts_with(pattern.substr(0, pattern.find('*')))) continue;
    const PlacedRule& placed = rules_[where.patterns[i]];
    if (fits(placed) && matches_stars(pattern, name)) return &placed;
  }
  return nullptr;
}

template <class Fits>
RuleBook::Found RuleBook::first_command(RuleList which, std::string_view tool, std::string_view command,
                                        const Fits& fits) const {
  const ToolRules* rules = rules_of(which, tool);
  if (!rules) return nullptr;
  const auto fits_command = [&](const PlacedRule& rule) { return fits(std::get<CommandPattern>(rule.meaning.what)); };
  const std::string_view word = command.substr(0, command.find_first_of(" \t\n"));
  const auto bucket = rules->by_first_word.find(word);
  const Found by_word = bucket == rules->by_first_word.end() ? nullptr : first(bucket->second, fits_command);
  const Found by_any = first(rules->any_first_word, fits_command);
  if (!by_word || !by_any) return by_word ? by_word : by_any;
  return std::min(by_word, by_any);  // both point into rules_: the stronger source stands first
}

RuleBook::Found RuleBook::whole_tool(RuleList which, std::string_view tool) const {
  const auto is_whole = [](const PlacedRule&) { return true; };
  if (const ToolRules* rules = rules_of(which, tool); rules && !rules->whole.empty()) {
    return first(rules->whole, is_whole);
  }
  const auto ends = server_ends(tool);
  // mcp__a__b__c may be a tool of a or of a__b: whoever allows must say which.
  const bool is_clear = which != RuleList::allow || ends.size() == 1;
  for (const std::size_t end : ends) {
    if (!is_clear) break;
    const ToolRules* rules = rules_of(which, tool.substr(0, end));
    if (rules && !rules->whole.empty()) return first(rules->whole, is_whole);
  }
  if (!is_clear) return nullptr;
  return first_pattern(which, tool,
                       [](const PlacedRule& placed) { return std::holds_alternative<WholeTool>(placed.meaning.what); });
}

RuleBook::Found RuleBook::whole_tool(RuleList which, const McpToolName& tool, std::string_view api_name) const {
  const auto is_any = [](const PlacedRule&) { return true; };
  const auto is_whole = [](const PlacedRule& placed) { return std::holds_alternative<WholeTool>(placed.meaning.what); };
  const auto named = [&](std::string_view name, const auto& fits) -> Found {
    const ToolRules* rules = rules_of(which, name);
    return rules ? first(rules->whole, fits) : nullptr;
  };
  if (which != RuleList::allow) {
    const std::string plain = tool.plain();
    for (const std::string_view name : {std::string_view(plain), api_name}) {
      if (const Found found = named(name, is_any)) return found;
      if (const Found found = first_pattern(which, name, is_whole)) return found;
    }
    return named(tool.server_word(), is_any);
  }
  const auto means_it = [&](const PlacedRule& placed) {
    return is_whole(placed) && means_mcp_tool(placed.rule.text.substr(0, placed.rule.text.find('(')), tool);
  };
  if (const Found found = named(tool.plain(), means_it)) return found;
  if (const Found found = named(tool.server_word(), is_any)) return found;
  return first(list(which).patterns, means_it);
}

RuleBook::Found RuleBook::broken(RuleList which, std::string_view tool) const {
  const auto is_broken = [](const PlacedRule& placed) { return std::holds_alternative<Broken>(placed.meaning.what); };
  if (const Found found = first_narrow(which, tool, is_broken)) return found;
  const Found pattern = first_pattern(which, tool, is_broken);
  return pattern ? pattern : first(list(which).nameless, is_broken);
}

RuleBook::Found RuleBook::by_parameter(RuleList which, std::string_view tool, const Json& input) const {
  const auto fits = [&](const PlacedRule& placed) {
    return placed.meaning.parameter && placed.meaning.parameter->matches(input);
  };
  if (const Found found = first_narrow(which, tool, fits)) return found;
  return first_pattern(which, tool, fits);
}

RuleBook::Found RuleBook::by_command(RuleList which, std::string_view tool, std::string_view command) const {
  return first_command(which, tool, command, [&](const CommandPattern& pattern) { return pattern.matches(command); });
}

RuleBook::Found RuleBook::by_exact_command(RuleList which, std::string_view tool, std::string_view command,
                                           bool by_letters) const {
  return first_command(which, tool, command, [&](const CommandPattern& pattern) {
    return (pattern.is_exact() && pattern.matches(command)) || (by_letters && pattern.is_written_as(command));
  });
}

RuleBook::Found RuleBook::by_beginning(RuleList which, std::string_view tool, std::string_view beginning) const {
  const auto fits = [&](const CommandPattern& pattern) { return pattern.may_match_beginning(beginning); };
  if (beginning.find(' ') != std::string_view::npos) return first_command(which, tool, beginning, fits);
  // Not even the first word is whole: any bucket may hold it.
  const ToolRules* rules = rules_of(which, tool);
  if (!rules) return nullptr;
  const auto fits_rule = [&](const PlacedRule& rule) { return fits(std::get<CommandPattern>(rule.meaning.what)); };
  for (const auto& [word, indices] : rules->by_first_word) {
    if (const Found found = first(indices, fits_rule)) return found;
  }
  return first(rules->any_first_word, fits_rule);
}

RuleBook::Found RuleBook::by_path(RuleList which, std::string_view tool, std::string_view path) const {
  return first_narrow(which, tool, [&](const PlacedRule& placed) {
    const auto* pattern = std::get_if<PathPattern>(&placed.meaning.what);
    return pattern && pattern->matches(path);
  });
}

RuleBook::Found RuleBook::covering_folder(RuleList which, std::string_view tool, std::string_view folder) const {
  return first_narrow(which, tool, [&](const PlacedRule& placed) {
    const auto* pattern = std::get_if<PathPattern>(&placed.meaning.what);
    return pattern && pattern->covers_folder(folder);
  });
}

RuleBook::Found RuleBook::covering_tree(RuleList which, std::string_view tool, std::string_view folder) const {
  return first_narrow(which, tool, [&](const PlacedRule& placed) {
    const auto* pattern = std::get_if<PathPattern>(&placed.meaning.what);
    return pattern && (pattern->matches(folder) || pattern->covers_tree(folder));
  });
}

RuleBook::Found RuleBook::below_folder(RuleList which, std::string_view tool, std::string_view folder) const {
  return first_narrow(which, tool, [&](const PlacedRule& placed) {
    const auto* pattern = std::get_if<PathPattern>(&placed.meaning.what);
    return pattern && pattern->may_match_below(folder);
  });
}

RuleBook::Found RuleBook::by_domain(RuleList which, std::string_view tool, std::string_view host) const {
  return first_narrow(which, tool, [&](const PlacedRule& placed) {
    const auto* pattern = std::get_if<DomainPattern>(&placed.meaning.what);
    return pattern && pattern->matches(host);
  });
}

RuleBook::Found RuleBook::by_name(RuleList which, std::string_view tool, std::string_view name,
                                  std::string_view arguments) const {
  return first_narrow(which, tool, [&](const PlacedRule& placed) {
    const auto* pattern = std::get_if<NamePattern>(&placed.meaning.what);
    if (!pattern || !same_name(which, pattern->name, name)) return false;
    return pattern->with_arguments || arguments.empty() || which != RuleList::allow;
  });
}

RuleBook::Found RuleBook::any_narrow(RuleList which, std::string_view tool) const {
  const ToolRules* rules = rules_of(which, tool);
  if (!rules) return nullptr;
  const auto matters = [](const PlacedRule& placed) { return !std::holds_alternative<Inert>(placed.meaning.what); };
  if (const Found found = first(rules->narrow, matters)) return found;
  if (!rules->any_first_word.empty()) return &rules_[rules->any_first_word.front()];
  std::size_t best = std::numeric_limits<std::size_t>::max();
  for (const auto& [word, indices] : rules->by_first_word) best = std::min(best, indices.front());
  return best < rules_.size() ? &rules_[best] : nullptr;
}

std::vector<std::string> RuleBook::warnings() const {
  std::vector<std::string> warnings;
  for (const PlacedRule& placed : rules_) {
    if (placed.meaning.warning.empty()) continue;
    warnings.push_back((placed.origin.empty() ? std::string(to_string(placed.source)) : placed.origin) + ": " +
                       placed.meaning.warning);
  }
  return warnings;
}

}  // namespace deft
