#include <algorithm>

#include "deft/shell/known/command.h"
#include "deft/shell/parser.h"
#include "deft/shell/paths.h"

// The option machine: reads a command's words as its rule describes them.

namespace deft::shell {
namespace {

enum class OptionKind { unknown, flag, value, optional_value, plain_value };

// Calls `visit` for each entry of a list separated by blanks until it answers true.
template <class Visit>
bool any_entry(std::string_view list, const Visit& visit) {
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t end = std::min(list.find(' ', start), list.size());
    if (end > start && visit(list.substr(start, end - start))) return true;
    start = end + 1;
  }
  return false;
}

OptionKind kind_of_long(std::string_view options, std::string_view name) {
  OptionKind kind = OptionKind::unknown;
  any_entry(options, [&](std::string_view entry) {
    if (!entry.starts_with(name)) return false;
    const std::string_view rest = entry.substr(name.size());
    if (rest.empty()) kind = OptionKind::flag;
    if (rest == "=") kind = OptionKind::value;
    if (rest == "?") kind = OptionKind::optional_value;
    if (rest == "!") kind = OptionKind::plain_value;
    return kind != OptionKind::unknown;
  });
  return kind;
}

OptionKind kind_of_short(std::string_view options, char letter) {
  OptionKind kind = OptionKind::unknown;
  any_entry(options, [&](std::string_view entry) {
    if (entry.size() < 2 || entry[0] != '-' || entry[1] == '-') return false;
    if (entry.size() == 3 && entry[1] == letter && entry[2] == ':') kind = OptionKind::value;
    if (entry.size() == 3 && entry[1] == letter && entry[2] == '?') kind = OptionKind::optional_value;
    if (entry.size() == 3 && entry[1] == letter && entry[2] == '!') kind = OptionKind::plain_value;
    const bool is_flags = std::string_view(":?!").find(entry.back()) == std::string_view::npos;
    if (is_flags && entry.substr(1).find(letter) != std::string_view::npos) kind = OptionKind::flag;
    return kind != OptionKind::unknown;
  });
  return kind;
}

// Reads options from words one after the other.
class OptionReader {
 public:
  OptionReader(std::string_view name, const CommandRule& rule, Words words, Invocation& out)
      : name_(name), rule_(rule), words_(words), out_(out), is_harmless_((rule.traits & kHarmless) != 0) {}

  Problem read() {
    while (next_ < words_.size()) {
      const Argument& word = words_[next_++];
      if (word.is_exact() && word.text == "--") break;
      const bool is_option = word.text.size() > 1 && word.text[0] == '-';
      if (!is_option) {
        if (Problem problem = take_operand(word)) return problem;
        if ((rule_.traits & kOptionsFirst) != 0) break;
        continue;
      }
      if (!word.is_exact() && is_harmless_) continue;
      if (word.is_exact() && is_among_words("@" + word.text, rule_.options)) {
        out_.options.push_back({.name = word.text});
        continue;
      }
      Problem problem = word.text.starts_with("--") ? read_long(word) : read_cluster(word);
      if (problem) return problem;
    }
    while (next_ < words_.size()) add_operand(words_[next_++]);
    return std::nullopt;
  }

 private:
  Problem refuse(std::string_view option) {
    return std::string(name_) + " " + std::string(option) + " is not known to be harmless";
  }

  void add_operand(const Argument& word) {
    if (out_.operands.empty()) {
      out_.options_before_operands = out_.options.size();
      out_.begins_with_operand = next_ == 1;
    }
    out_.operands.push_back(&word);
  }

  Problem take_operand(const Argument& word) {
    const bool could_be_option = !word.is_exact() && (!word.dashless || word.extent == Extent::spread);
    if (could_be_option && !is_harmless_) return unknown_word(name_, word);
    add_operand(word);
    return std::nullopt;
  }

  // The next word as the value of an option.
  Problem take_value(GivenOption& option) {
    if (next_ == words_.size()) return is_harmless_ ? std::nullopt : refuse(option.name + " without a value");
    const Argument& word = words_[next_++];
    if (!word.is_one_word() && !is_harmless_) return unknown_word(name_, word);
    option.value = &word;
    option.value_text = word.text;
    option.value_exact = word.is_exact();
    return std::nullopt;
  }

  // The next word, if there is one, as a value that cannot be taken for anything else.
  Problem take_plain_value(GivenOption& option) {
    if (next_ == words_.size()) return std::nullopt;
    const Argument& word = words_[next_];
    if (word.is_exact() && word.text.starts_with('-')) return refuse(option.name + " " + word.text);
    return take_value(option);
  }

  Problem read_long(const Argument& word) {
    const std::size_t equals = word.text.find('=');
    GivenOption option;
    option.name = word.text.substr(0, equals);
    if (equals == std::string::npos && !word.is_exact()) return unknown_word(name_, word);
    const OptionKind kind = kind_of_long(rule_.options, option.name);
    if (option.name == "--help" || option.name == "--version") {
      if (equals != std::string::npos || !word.is_exact()) return refuse(option.name);
      out_.options.push_back(std::move(option));
      return std::nullopt;
    }
    if (word.is_exact() && equals != std::string::npos && is_among_words(word.text, rule_.options)) {
      out_.options.push_back({.name = option.name, .value = &word, .value_text = word.text.substr(equals + 1)});
      return std::nullopt;
    }
    if (kind == OptionKind::unknown) return refuse(option.name);
    if (equals != std::string::npos) {
      if (kind == OptionKind::flag) return refuse(word.text);
      if (word.extent == Extent::spread) return unknown_word(name_, word);
      option.value = &word;
      option.value_text = word.text.substr(equals + 1);
      option.value_exact = word.is_exact();
    } else if (Problem problem = take_separate_value(kind, option)) {
      return problem;
    }
    out_.options.push_back(std::move(option));
    return std::nullopt;
  }

  Problem take_separate_value(OptionKind kind, GivenOption& option) {
    if (kind == OptionKind::value) return take_value(option);
    if (kind == OptionKind::plain_value) return take_plain_value(option);
    return std::nullopt;
  }

  Problem read_cluster(const Argument& word) {
    const std::string& text = word.text;
    const bool is_numeric = is_number(std::string_view(text).substr(1));
    if (is_numeric && word.is_exact() && kind_of_short(rule_.options, '#') == OptionKind::flag) {
      out_.options.push_back({.name = "-#", .value_text = text.substr(1)});
      return std::nullopt;
    }
    for (std::size_t i = 1; i < text.size(); ++i) {
      GivenOption option;
      option.name = std::string("-") + text[i];
      const OptionKind kind = text[i] == '#' ? OptionKind::unknown : kind_of_short(rule_.options, text[i]);
      if (kind == OptionKind::unknown) return refuse(text.size() == 2 ? option.name : option.name + " in " + text);
      if (kind == OptionKind::flag) {
        if ((rule_.traits & kNoClusters) != 0 && text.size() > 2) return refuse(text);
        if (!word.is_exact() && i + 1 == text.size()) return unknown_word(name_, word);
        out_.options.push_back(std::move(option));
        continue;
      }
      const std::string glued = text.substr(i + 1);
      if ((rule_.traits & kNoClusters) != 0 && (i > 1 || (!glued.empty() && !is_number(glued)))) return refuse(text);
      if ((rule_.traits & kNoGluedValues) != 0 && (!glued.empty() || !word.is_exact())) return refuse(text);
      if (!glued.empty() || !word.is_exact()) {
        if (word.extent == Extent::spread) return unknown_word(name_, word);
        option.value = &word;
        option.value_text = glued;
        option.value_exact = word.is_exact();
      } else if (Problem problem = take_separate_value(kind, option)) {
        return problem;
      }
      out_.options.push_back(std::move(option));
      return std::nullopt;
    }
    return std::nullopt;
  }

  std::string_view name_;
  const CommandRule& rule_;
  Words words_;
  Invocation& out_;
  bool is_harmless_;
  std::size_t next_ = 0;
};

}  // namespace

bool Invocation::has(std::string_view option) const {
  return std::ranges::any_of(options, [&](const GivenOption& given) { return given.name == option; });
}

Problem read_options(std::string_view name, const CommandRule& rule, Words words, Invocation& out) {
  out.name = name;
  return OptionReader(name, rule, words, out).read();
}

Problem judge_by_rule(std::string_view name, const CommandRule& rule, Words words, const Situation& situation) {
  if (rule.judge != nullptr) return rule.judge(words, situation);
  Invocation invocation;
  if (Problem problem = read_options(name, rule, words, invocation)) return problem;
  const std::string command(name);
  if ((rule.traits & kNeedsOption) != 0 && invocation.options.empty()) {
    return command + " without an option that only asks";
  }
  if (rule.operands == Operands::none && !invocation.operands.empty()) {
    return command + " " + quoted(invocation.operands[0]->source) + " is not known to be harmless";
  }
  if (rule.operands == Operands::one) {
    const bool is_single =
        invocation.operands.size() < 2 &&
        std::ranges::all_of(invocation.operands, [](const Argument* word) { return word->is_one_word(); });
    if (!is_single) return command + " with a second file may write it";
  }
  if (rule.operands == Operands::files || rule.operands == Operands::one) {
    for (const Argument* operand : invocation.operands) {
      if (Problem problem = judge_read_file(*operand)) return problem;
    }
  }
  return rule.check != nullptr ? rule.check(invocation, situation) : std::nullopt;
}

Problem judge_read_file(const Argument& file) {
  if (!file.text.starts_with('/')) return std::nullopt;
  const std::string path = join_paths("/", file.text);
  if (path != "/dev" && !path.starts_with("/dev/")) return std::nullopt;
  if (path.starts_with("/dev/fd/") || file.text == "/dev/fd/") return std::nullopt;
  constexpr std::string_view kHarmless =
      "/dev /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/stdin /dev/fd";
  if (file.is_exact() && is_among_words(path, kHarmless)) return std::nullopt;
  return "reads the device " + file.text;
}

Problem harmless(Words, const Situation&) { return std::nullopt; }

std::string quoted(std::string_view text) {
  constexpr std::size_t kShownBytesMax = 60;
  std::string shown(text.substr(0, kShownBytesMax));
  while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xC0) == 0x80) shown.pop_back();
  if (shown.size() < text.size()) {
    if (!shown.empty() && static_cast<unsigned char>(shown.back()) >= 0xC0) shown.pop_back();
    shown += "…";
  } else {
    shown = text;
  }
  std::ranges::replace(shown, '\n', ' ');
  return "\"" + shown + "\"";
}

Problem unknown_word(std::string_view command, const Argument& argument) {
  return quoted(argument.source) + " could be an option of " + std::string(command);
}

bool are_exact(Words words) {
  return std::ranges::all_of(words, [](const Argument& word) { return word.is_exact(); });
}

}  // namespace deft::shell
