#include "deft/shell/exit_codes.h"

#include "deft/shell/commands.h"
#include "deft/shell/parse.h"
#include "deft/shell/wrappers.h"

namespace deft::shell {
namespace {

struct Entry {
  std::string_view command;
  std::string_view subcommand;  // of git; "" for any
  int code;
  std::string_view meaning;
};
constexpr Entry kEntries[] = {
    {"grep", "", 1, "no matches found"},
    {"egrep", "", 1, "no matches found"},
    {"fgrep", "", 1, "no matches found"},
    {"zgrep", "", 1, "no matches found"},
    {"rg", "", 1, "no matches found"},
    {"ag", "", 1, "no matches found"},
    {"git", "grep", 1, "no matches found"},
    {"pgrep", "", 1, "no process matched"},
    {"diff", "", 1, "the files differ"},
    {"cmp", "", 1, "the files differ"},
    {"git", "diff", 1, "there are differences"},
    {"find", "", 1, "some folders could not be read"},
    {"test", "", 1, "the condition is false"},
    {"[", "", 1, "the condition is false"},
    {"[[", "", 1, "the condition is false"},
    {"((", "", 1, "the expression is zero"},
    {"git", "merge-base", 1, "there is no common ancestor"},
    {"git", "check-ignore", 1, "no path is ignored"},
    {"which", "", 1, "not found"},
    {"command", "", 1, "not found"},
    {"expr", "", 1, "the expression is empty or zero"},
    {"timeout", "", 124, "the time was up"},
};

// The command whose code becomes the line's. "!" turns codes around, so nothing can be said there.
const Command* last_command(const List& script) {
  if (script.items.empty()) return nullptr;
  const AndOr& item = script.items.back();
  const Pipeline& pipeline = item.pipelines.back();
  if (item.background || pipeline.negated) return nullptr;
  const Command& command = pipeline.commands.back();
  if (const auto* group = std::get_if<Group>(&command.what)) return last_command(group->body);
  if (const auto* subshell = std::get_if<Subshell>(&command.what)) return last_command(subshell->body);
  return &command;
}

std::optional<ExitMeaning> look_up(std::string_view command, std::string_view subcommand, int code) {
  for (const Entry& entry : kEntries) {
    const bool fits = entry.command == command && entry.code == code;
    if (fits && (entry.subcommand.empty() || entry.subcommand == subcommand)) {
      return ExitMeaning{std::string(entry.meaning)};
    }
  }
  return std::nullopt;
}

// The words of a simple command as far as they are plain; the rest does not matter here.
std::vector<Argument> plain_words(const SimpleCommand& command) {
  std::vector<Argument> words;
  for (const Word& word : command.words) {
    std::string text;
    for (const Part& part : word.parts) {
      if (part.kind == PartKind::literal || part.kind == PartKind::quoted) text += part.text;
    }
    words.push_back(Argument::exactly(std::move(text)));
  }
  return words;
}

std::string_view git_subcommand(std::span<const Argument> words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].text == "-C" || words[i].text == "-c") {
      ++i;
    } else if (!words[i].text.starts_with('-')) {
      return words[i].text;
    }
  }
  return {};
}

}  // namespace

std::optional<ExitMeaning> meaning_of_exit(const List& script, int code) {
  const Command* command = last_command(script);
  if (command == nullptr) return std::nullopt;
  if (std::holds_alternative<Conditional>(command->what)) return look_up("[[", "", code);
  if (std::holds_alternative<ArithmeticCommand>(command->what)) return look_up("((", "", code);
  const auto* simple = std::get_if<SimpleCommand>(&command->what);
  if (simple == nullptr || simple->words.empty()) return std::nullopt;
  const std::vector<Argument> words = plain_words(*simple);
  if (auto meaning = look_up(words[0].text, "", code); meaning && words[0].text != "command") return meaning;
  const auto inner = strip_wrappers(words);
  const std::string_view name = inner[0].text;
  return look_up(name, name == "git" ? git_subcommand(inner) : std::string_view(), code);
}

std::optional<ExitMeaning> meaning_of_exit(std::string_view command, int code) {
  const auto script = parse(command);
  if (!script) return std::nullopt;
  return meaning_of_exit(*script, code);
}

}  // namespace deft::shell
