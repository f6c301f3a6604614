#include "deft/ui/flag_table.h"

#include <algorithm>
#include <utility>

#include "deft/base/json.h"
#include "deft/ui/meant_word.h"

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

// Goes through the words, each with those behind it that belong to it.
class FlagParser {
 public:
  FlagParser(std::span<const Flag> table, std::span<const char* const> arguments)
      : table_(table), arguments_(arguments) {}

  Result<void> read() {
    for (; at_ < arguments_.size(); ++at_) {
      const std::string_view word = arguments_[at_];
      if (word == "--") {
        words.insert(words.end(), arguments_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, arguments_.end());
        break;
      }
      if (!looks_like_flag(word)) {
        words.emplace_back(word);
      } else if (auto good = word.starts_with("--") ? take_long(word) : take_short(word); !good) {
        return good;
      }
    }
    return {};
  }

  std::map<std::string, std::vector<std::string>, std::less<>> values;
  std::vector<std::string> words;

 private:
  Result<void> take_long(std::string_view word) {
    const auto equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const Flag* flag = find_flag(table_, name);
    if (!flag) return unknown(name);
    if (equals == std::string_view::npos) return take(*flag, name);
    if (flag->takes == Flag::Takes::nothing) {
      return fail(Errc::invalid_input, std::string(name) + " takes no value");
    }
    given_to(*flag).emplace_back(word.substr(equals + 1));
    return {};
  }

  // "-r ID", and several in one word as everywhere: "-pc"; the value of the last one may follow at once: "-rID".
  Result<void> take_short(std::string_view word) {
    std::vector<const Flag*> flags;
    std::size_t end = 1;
    while (end < word.size() && (flags.empty() || flags.back()->takes == Flag::Takes::nothing)) {
      const std::string name{'-', word[end++]};
      flags.push_back(find_flag(table_, name));
      if (!flags.back()) return unknown(word);
    }
    for (const Flag* flag : flags) {
      if (flag != flags.back()) given_to(*flag);
    }
    if (end == word.size()) return take(*flags.back(), word);
    given_to(*flags.back()).emplace_back(word.substr(end));
    return {};
  }

  // With what follows.
  Result<void> take(const Flag& flag, std::string_view name) {
    std::vector<std::string>& given = given_to(flag);
    switch (flag.takes) {
      case Flag::Takes::nothing: return {};
      case Flag::Takes::value:
        // Whatever it is: a prompt may begin with a dash.
        if (at_ + 1 >= arguments_.size()) return needs_value(flag, name);
        given.emplace_back(arguments_[++at_]);
        return {};
      case Flag::Takes::optional_value:
        if (takes_next()) given.emplace_back(arguments_[++at_]);
        return {};
      case Flag::Takes::list:
        if (!takes_next()) return needs_value(flag, name);
        while (takes_next()) given.emplace_back(arguments_[++at_]);
        return {};
    }
    return {};
  }

  bool takes_next() const { return at_ + 1 < arguments_.size() && !looks_like_flag(arguments_[at_ + 1]); }
  std::vector<std::string>& given_to(const Flag& flag) { return values[std::string(name_of(flag))]; }

  std::unexpected<Error> unknown(std::string_view name) const {
    std::vector<std::string> known;
    for (const Flag& flag : table_) {
      for (const std::string_view one : names_of(flag)) {
        if (name.starts_with("--")) known.emplace_back(one);
      }
    }
    return fail(Errc::invalid_input, "there is no option " + json_quote(name.substr(0, 100)) + meant_word(name, known));
  }

  static std::unexpected<Error> needs_value(const Flag& flag, std::string_view name) {
    return fail(Errc::invalid_input, std::string(name) + " needs a value: " + std::string(flag.value));
  }

  std::span<const Flag> table_;
  std::span<const char* const> arguments_;
  std::size_t at_ = 0;
};

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
  FlagParser parser(table, arguments);
  if (auto good = parser.read(); !good) return std::unexpected(good.error());
  FlagValues values;
  values.values_ = std::move(parser.values);
  values.words_ = std::move(parser.words);
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
