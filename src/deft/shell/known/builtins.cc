#include <algorithm>

#include "deft/shell/known/command.h"
#include "deft/shell/parser.h"

// Commands of the shell itself. eval, source, exec, trap, let, alias and relatives are in no table.

namespace deft::shell {

Problem judge_test(Words words, const Situation& situation);
Problem judge_bracket(Words words, const Situation& situation);

namespace {

// %n stores into the variable that the argument names, and -v into any.
Problem judge_printf(Words words, const Situation&) {
  if (!words.empty() && words[0].is_exact() && words[0].text == "--") words = words.subspan(1);
  if (words.empty()) return std::nullopt;
  if (!words[0].is_exact()) return "the format of printf is not known: " + quoted(words[0].source);
  const std::string& format = words[0].text;
  if (format.starts_with('-')) return "printf " + quoted(format) + " may set a variable";
  for (std::size_t i = format.find('%'); i != std::string::npos; i = format.find('%', i)) {
    ++i;
    i = format.find_first_not_of("-+ #0'123456789*.hlLjzt", i);
    if (i == std::string::npos) break;
    if (format[i] == 'n') return std::string("printf %n sets a variable");
    ++i;
  }
  return std::nullopt;
}

Problem judge_export(Words words, const Situation&) {
  if (words.empty()) return std::nullopt;
  if (words.size() == 1 && words[0].is_exact() && words[0].text == "-p") return std::nullopt;
  for (const Argument& word : words) {
    const std::size_t equals = word.text.find('=');
    if (equals == std::string::npos || !word.is_exact()) return "exports " + quoted(word.source);
    if (Problem problem =
            judge_environment(word.text.substr(0, equals), Argument::exactly(word.text.substr(equals + 1)))) {
      return problem;
    }
  }
  return std::nullopt;
}

Problem judge_declare(Words words, const Situation&) {
  const bool prints = !words.empty() && are_exact(words) && is_among_words(words[0].text, "-p -f -F") &&
                      std::ranges::all_of(words.subspan(1), [](const Argument& word) { return is_name(word.text); });
  if (prints) return std::nullopt;
  return std::string("declares variables");
}

// Options that change how a script ends, not what it does.
Problem judge_set(Words words, const Situation&) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i].text;
    const bool is_option = words[i].is_exact() && word.size() > 1 && (word[0] == '-' || word[0] == '+');
    if (!is_option || word.find_first_not_of("eufEhbo", 1) != std::string::npos) {
      return "set " + quoted(words[i].source) + " is not known to be harmless";
    }
    if (word.find('o') == std::string::npos) continue;
    ++i;
    const bool is_named = i < words.size() && words[i].is_exact() &&
                          is_among_words(words[i].text, "pipefail errexit nounset noglob errtrace");
    if (!is_named) return std::string("set -o with an unknown name");
  }
  return std::nullopt;
}

Problem judge_shopt(Words words, const Situation&) {
  constexpr std::string_view kNames = "globstar nullglob dotglob failglob nocaseglob nocasematch globasciiranges";
  for (const Argument& word : words) {
    const bool is_known =
        word.is_exact() && (is_among_words(word.text, "-s -u -p -q") || is_among_words(word.text, kNames));
    if (!is_known) return "shopt " + quoted(word.source) + " is not known to be harmless";
  }
  return std::nullopt;
}

Problem judge_names(const Invocation& invocation) {
  for (const Argument* operand : invocation.operands) {
    if (!operand->is_exact() || !is_name(operand->text)) {
      return std::string(invocation.name) + " with " + quoted(operand->source) + ", which is no plain variable";
    }
    if (Problem problem = judge_shell_variable(operand->text)) return problem;
  }
  return std::nullopt;
}

Problem check_read(const Invocation& invocation, const Situation&) {
  for (const GivenOption& option : invocation.options) {
    if (option.name != "-a") continue;
    if (!option.value_exact || !is_name(option.value_text)) return "read -a " + quoted(option.value_text);
    if (Problem problem = judge_shell_variable(option.value_text)) return problem;
  }
  return judge_names(invocation);
}

Problem check_names(const Invocation& invocation, const Situation&) { return judge_names(invocation); }

Problem check_numbers(const Invocation& invocation, const Situation&) {
  for (const Argument* operand : invocation.operands) {
    if (!operand->is_integer) return std::string(invocation.name) + " " + quoted(operand->source);
  }
  return std::nullopt;
}

// kill -l lists signals, kill -0 only asks whether the process is there.
Problem judge_kill(Words words, const Situation&) {
  const bool asks = !words.empty() && are_exact(words.first(1)) && is_among_words(words[0].text, "-l -L -0");
  if (!asks) return std::string("kill sends a signal");
  for (const Argument& word : words.subspan(1)) {
    if (!word.is_integer || !word.dashless) return std::string("kill sends a signal");
  }
  return std::nullopt;
}

constexpr CommandRule kRules[] = {
    {"cd pushd popd dirs pwd exit return break continue shift help type times caller", Operands::names, kBuiltin, "",
     nullptr, harmless},
    {"printf", Operands::names, kPlain, "", nullptr, judge_printf},
    {"test", Operands::names, kPlain, "", nullptr, judge_test},
    {"[", Operands::names, kPlain, "", nullptr, judge_bracket},
    {"export", Operands::names, kBuiltin, "", nullptr, judge_export},
    {"declare typeset", Operands::names, kBuiltin, "", nullptr, judge_declare},
    {"set", Operands::names, kBuiltin, "", nullptr, judge_set},
    {"shopt", Operands::names, kBuiltin, "", nullptr, judge_shopt},
    {"read", Operands::names, kBuiltin, "-rs -a: -d: -n: -N: -p: -t: -u:", check_read},
    {"mapfile readarray", Operands::names, kBuiltin, "-t -d: -n: -s: -u:", check_names},
    {"unset", Operands::names, kBuiltin, "-v", check_names},
    {"ulimit", Operands::none, kBuiltin, "-abcdefHiklmnpqrRsStTuvx"},
    {"umask", Operands::none, kBuiltin, "-pS"},
    {"history", Operands::names, kBuiltin, "", check_numbers},
    {"jobs", Operands::none, kBuiltin, "-lnprs"},
    {"wait alias trap hash", Operands::none, kBuiltin, ""},
    {"kill", Operands::names, kPlain, "", nullptr, judge_kill},
};

}  // namespace

std::span<const CommandRule> builtin_commands() { return kRules; }

}  // namespace deft::shell
