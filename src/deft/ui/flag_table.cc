#include "deft/ui/flag_table.h"

#include <algorithm>

#include "deft/base/json.h"
#include "deft/core/schema_words.h"

namespace deft {
namespace {

constexpr std::size_t kHelpColumn = 34;
constexpr std::size_t kHelpWidth = 110;

std::vector<std::string_view> names_of(const Flag& flag) {
  std::vector<std::string_view> names;
  for (std::string_view rest = flag.names; !rest.empty();) {
    const auto end = std::min(rest.find(", "), rest.size());
    names.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return names;
}

std::string_view name_of(const Flag& flag) {
  const auto names = names_of(flag);
  const auto first_long = std::ranges::find_if(names, [](std::string_view name) { return name.starts_with("--"); });
  return first_long == names.end() ? names.front() : *first_long;
}

const Flag* find_flag(std::span<const Flag> table, std::string_view name) {
  const auto found = std::ranges::find_if(table, [&](const Flag& flag) {
    const auto names = names_of(flag);
    return std::ranges::find(names, name) != names.end();
  });
  return found == table.end() ? nullptr : &*found;
}

std::unexpected<Error> unknown_flag(std::span<const Flag> table, std::string_view name) {
  std::vector<std::string> names;
  for (const Flag& flag : table) {
    for (const std::string_view one : names_of(flag)) names.emplace_back(one);
  }
  const std::string meant = schema::nearest_name(name, names);
  return fail(Errc::invalid_input, "there is no option " + json_quote(name.substr(0, 100)) +
                                       (meant.empty() ? "" : " (is " + meant + " meant?)"));
}

// A lone dash and negative numbers are values.
bool looks_like_flag(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9') && word[1] != ' ';
}

void append_wrapped(std::string& out, std::string_view text, std::size_t column) {
  std::size_t at = column;
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    if (at > column && at + 1 + word.size() > kHelpWidth) {
      out += "\n" + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

std::optional<std::string> FlagValues::value(std::string_view name) const {
  const auto& given = all(name);
  if (given.empty()) return std::nullopt;
  return given.back();
}

const std::vector<std::string>& FlagValues::all(std::string_view name) const {
  static const std::vector<std::string> kNone;
  const auto found = values_.find(name);
  return found == values_.end() ? kNone : found->second;
}

Result<FlagValues> parse_flags(std::span<const Flag> table, std::span<const char* const> arguments) {
  FlagValues values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == "--") {
      values.words_.insert(values.words_.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                           arguments.end());
      break;
    }
    if (!looks_like_flag(word)) {
      values.words_.emplace_back(word);
      continue;
    }
    const auto equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    const std::string_view name = word.substr(0, equals);
    const Flag* flag = find_flag(table, name);
    if (!flag) return unknown_flag(table, name);
    std::vector<std::string>& given = values.values_[std::string(name_of(*flag))];
    if (equals != std::string_view::npos) {
      if (flag->takes == Flag::Takes::nothing) {
        return fail(Errc::invalid_input, std::string(name) + " takes no value");
      }
      given.emplace_back(word.substr(equals + 1));
      continue;
    }
    const auto takes_next = [&] { return i + 1 < arguments.size() && !looks_like_flag(arguments[i + 1]); };
    switch (flag->takes) {
      case Flag::Takes::nothing: break;
      case Flag::Takes::value:
        // Whatever it is: a prompt may begin with a dash.
        if (i + 1 >= arguments.size()) {
          return fail(Errc::invalid_input, std::string(name) + " needs a value: " + std::string(flag->value));
        }
        given.emplace_back(arguments[++i]);
        break;
      case Flag::Takes::optional_value:
        if (takes_next()) given.emplace_back(arguments[++i]);
        break;
      case Flag::Takes::list:
        if (!takes_next()) {
          return fail(Errc::invalid_input, std::string(name) + " needs a value: " + std::string(flag->value));
        }
        while (takes_next()) given.emplace_back(arguments[++i]);
        break;
    }
  }
  return values;
}

std::string flags_help(std::span<const Flag> table) {
  std::string out;
  for (const Flag& flag : table) {
    if (!flag.group.empty()) out += "\n" + std::string(flag.group) + ":\n";
    if (flag.help.empty()) continue;
    std::string head = "  " + std::string(flag.names);
    if (!flag.value.empty()) {
      head += flag.takes == Flag::Takes::optional_value ? " [" + std::string(flag.value) + "]"
                                                        : " " + std::string(flag.value);
    }
    out += head;
    out += head.size() + 1 < kHelpColumn ? std::string(kHelpColumn - head.size(), ' ')
                                         : "\n" + std::string(kHelpColumn, ' ');
    append_wrapped(out, flag.help, kHelpColumn);
    out += "\n";
  }
  return out;
}

std::vector<std::string> split_rules(std::string_view text) {
  std::vector<std::string> rules;
  std::string rule;
  int depth = 0;
  const auto end_rule = [&] {
    if (!rule.empty()) rules.push_back(std::exchange(rule, {}));
  };
  for (const char c : text) {
    if (depth == 0 && (c == ',' || c == ' ' || c == '\t' || c == '\n')) {
      end_rule();
      continue;
    }
    if (c == '(') ++depth;
    if (c == ')' && depth > 0) --depth;
    rule += c;
  }
  end_rule();
  return rules;
}

}  // namespace deft
