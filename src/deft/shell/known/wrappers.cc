#include "deft/shell/wrappers.h"

#include <algorithm>
#include <iterator>

#include "deft/shell/known/command.h"

// Commands that run another command: harmless if that one is.

namespace deft::shell {
namespace {

inline constexpr int kWrappersMax = 6;

Problem judge_inner(Words words, const Situation& situation, bool by_program = true) {
  Situation inside = situation;
  inside.by_program = inside.by_program || by_program;
  if (++inside.depth > kWrappersMax) return std::string("too many commands inside commands");
  return judge_command(words, inside);
}

// A wrapper's own options, and how many operands stand before the command.
struct Wrapper {
  CommandRule rule;
  std::size_t skipped = 0;
};
constexpr Wrapper kWrappers[] = {
    {{"timeout", Operands::names, kOptionsFirst,
      "-v -k: -s: --kill-after= --signal= --preserve-status --foreground --verbose"},
     1},
    {{"nice", Operands::names, kOptionsFirst, "-# -n: --adjustment="}},
    {{"ionice", Operands::names, kOptionsFirst, "-t -c: -n: --class= --classdata= --ignore"}},
    {{"stdbuf", Operands::names, kOptionsFirst, "-i: -o: -e: --input= --output= --error="}},
    {{"time", Operands::names, kOptionsFirst, "-pvq -f: --format= --portability --verbose"}},
    {{"nohup", Operands::names, kOptionsFirst, ""}},
};

const Wrapper* find_wrapper(std::string_view name) {
  const auto found =
      std::ranges::find_if(kWrappers, [&](const Wrapper& wrapper) { return wrapper.rule.names == name; });
  return found == std::end(kWrappers) ? nullptr : &*found;
}

// The words of the inner command; nothing inside: an empty span.
Problem unwrap(const Wrapper& wrapper, Words words, Words& inner) {
  Invocation invocation;
  inner = {};
  if (Problem problem = read_options(wrapper.rule.names, wrapper.rule, words, invocation)) return problem;
  if (invocation.operands.size() <= wrapper.skipped) return std::nullopt;
  for (std::size_t i = 0; i < wrapper.skipped; ++i) {
    if (!invocation.operands[i]->is_one_word()) return unknown_word(wrapper.rule.names, *invocation.operands[i]);
  }
  inner = words.last(invocation.operands.size() - wrapper.skipped);
  return std::nullopt;
}

template <std::size_t index>
Problem judge_wrapped(Words words, const Situation& situation) {
  Words inner;
  if (Problem problem = unwrap(kWrappers[index], words, inner)) return problem;
  return inner.empty() ? std::nullopt : judge_inner(inner, situation);
}

// command -v only looks the name up.
Problem judge_command_builtin(Words words, const Situation& situation) {
  bool looks_up = false;
  while (!words.empty() && words[0].is_exact() && words[0].text.starts_with('-') && words[0].text.size() > 1) {
    const std::string& option = words[0].text;
    words = words.subspan(1);
    if (option == "--") break;
    if (option.find_first_not_of("pvV", 1) != std::string::npos) return "command " + option + " is not known";
    looks_up = looks_up || option.find_first_of("vV") != std::string::npos;
  }
  if (looks_up || words.empty()) return std::nullopt;
  return judge_inner(words, situation, /*by_program=*/false);
}

Problem judge_builtin(Words words, const Situation& situation) {
  if (words.empty()) return std::nullopt;
  return judge_inner(words, situation, /*by_program=*/false);
}

Problem judge_env(Words words, const Situation& situation) {
  static constexpr CommandRule kRule = {"env", Operands::names, kOptionsFirst,
                                        "-0i -u: --ignore-environment --null --unset="};
  Invocation invocation;
  if (Problem problem = read_options("env", kRule, words, invocation)) return problem;
  Words rest = words.last(invocation.operands.size());
  while (!rest.empty()) {
    const std::size_t equals = rest[0].text.find('=');
    if (equals == std::string::npos) break;
    if (!rest[0].is_exact()) return "env with " + quoted(rest[0].source);
    if (Problem problem =
            judge_environment(rest[0].text.substr(0, equals), Argument::exactly(rest[0].text.substr(equals + 1)))) {
      return problem;
    }
    rest = rest.subspan(1);
  }
  if (rest.empty()) return std::nullopt;
  return judge_inner(rest, situation);
}

// Where xargs puts a line of its input.
Argument with_input(const Argument& word, std::string_view mark) {
  const std::size_t place = word.text.find(mark);
  if (!word.is_exact() || place == std::string::npos) return word;
  Argument replaced = word;
  replaced.text = word.text.substr(0, place);
  replaced.extent = Extent::one;
  replaced.dashless = !replaced.text.empty() && replaced.text[0] != '-';
  replaced.rootless = !replaced.text.empty() && replaced.text[0] != '/';
  replaced.is_integer = false;
  replaced.unknown = mark;
  return replaced;
}

Problem judge_xargs(Words words, const Situation& situation) {
  static constexpr CommandRule kRule = {
      "xargs", Operands::names, kOptionsFirst,
      "-0rtx -a: -d: -E: -e? -I: -i? -L: -l? -n: -P: -s: --null --arg-file= --delimiter= --eof? --replace? "
      "--max-lines? "
      "--max-args= --max-procs= --max-chars= --no-run-if-empty --verbose --exit --show-limits"};
  Invocation invocation;
  if (Problem problem = read_options("xargs", kRule, words, invocation)) return problem;
  std::string mark;
  for (const GivenOption& option : invocation.options) {
    if (!option.value_exact) return "xargs " + option.name + " with a value that is not known";
    if (option.name == "-I" || option.name == "-i" || option.name == "--replace") {
      mark = option.value_text.empty() ? "{}" : option.value_text;
    }
  }
  const Words inner = words.last(invocation.operands.size());
  if (inner.empty()) return std::nullopt;  // echo
  std::vector<Argument> command;
  for (const Argument& word : inner) command.push_back(mark.empty() ? word : with_input(word, mark));
  if (mark.empty()) {
    Argument input;
    input.extent = Extent::spread;
    input.source = input.unknown = "the input of xargs";
    command.push_back(std::move(input));
  }
  return judge_inner(command, situation);
}

constexpr CommandRule kRules[] = {
    // nohup is not here: it may write nohup.out.
    {"timeout", Operands::names, kPlain, "", nullptr, judge_wrapped<0>},
    {"nice", Operands::names, kPlain, "", nullptr, judge_wrapped<1>},
    {"ionice", Operands::names, kPlain, "", nullptr, judge_wrapped<2>},
    {"stdbuf", Operands::names, kPlain, "", nullptr, judge_wrapped<3>},
    {"time", Operands::names, kPlain, "", nullptr, judge_wrapped<4>},
    {"command", Operands::names, kBuiltin, "", nullptr, judge_command_builtin},
    {"builtin", Operands::names, kBuiltin, "", nullptr, judge_builtin},
    {"env", Operands::names, kPlain, "", nullptr, judge_env},
    {"xargs", Operands::names, kPlain, "", nullptr, judge_xargs},
};

}  // namespace

std::span<const CommandRule> wrapper_commands() { return kRules; }

std::span<const Argument> strip_wrappers(std::span<const Argument> words) {
  while (words.size() > 1 && words[0].is_exact()) {
    const std::string& name = words[0].text;
    const Words rest = words.subspan(1);
    const bool begins_plainly = rest[0].is_exact() && rest[0].dashless;
    if (name == "command" || name == "builtin" || name == "noglob" || name == "xargs") {
      if (!begins_plainly) return words;  // command -v only looks a name up, and xargs -I changes what follows
      words = rest;
      continue;
    }
    const Wrapper* wrapper = find_wrapper(name);
    Words inner;
    if (wrapper == nullptr || unwrap(*wrapper, rest, inner) || inner.empty()) return words;
    words = inner;
  }
  return words;
}

}  // namespace deft::shell
