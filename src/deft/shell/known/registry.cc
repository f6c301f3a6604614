#include <algorithm>
#include <unordered_map>

#include "deft/shell/known/command.h"

// From a command's name to its rule.

namespace deft::shell {
namespace {

using Registry = std::unordered_map<std::string_view, const CommandRule*>;

Registry make_registry() {
  Registry registry;
  const std::span<const CommandRule> tables[] = {text_commands(),    search_commands(),  file_commands(),
                                                 system_commands(),  archive_commands(), builtin_commands(),
                                                 wrapper_commands(), package_commands(), version_commands(),
                                                 script_commands(),  git_command()};
  for (const auto& table : tables) {
    for (const CommandRule& rule : table) {
      for (std::size_t start = 0; start < rule.names.size();) {
        const std::size_t end = std::min(rule.names.find(' ', start), rule.names.size());
        registry.emplace(rule.names.substr(start, end - start), &rule);
        start = end + 1;
      }
    }
  }
  return registry;
}

// /usr/bin/ls is ls. Other folders may hold anything under any name.
std::string_view strip_system_folder(std::string_view name) {
  for (const std::string_view folder : {"/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"}) {
    if (name.starts_with(folder) && name.find('/', folder.size()) == std::string_view::npos) {
      return name.substr(folder.size());
    }
  }
  return name;
}

const CommandRule* find_rule(std::string_view name) {
  static const Registry registry = make_registry();
  const auto found = registry.find(name);
  return found == registry.end() ? nullptr : found->second;
}

}  // namespace

std::optional<Invocation> read_invocation(Words words) {
  if (words.empty() || !words[0].is_exact()) return std::nullopt;
  const std::string_view name = strip_system_folder(words[0].text);
  const CommandRule* rule = find_rule(name);
  Invocation invocation;
  if (!rule || rule->judge || read_options(name, *rule, words.subspan(1), invocation)) return std::nullopt;
  return invocation;
}

Problem judge_command(Words words, const Situation& situation) {
  const Argument& word = words[0];
  if (!word.is_exact()) return "which command runs is not known: " + quoted(word.source);
  const std::string_view name = strip_system_folder(word.text);
  const CommandRule* found = find_rule(name);
  if (!found) return quoted(word.text) + " is not among the commands known to be read-only";
  const CommandRule& rule = *found;
  const bool is_by_path = name.size() != word.text.size();
  if ((rule.traits & kBuiltin) != 0 && (situation.by_program || is_by_path)) {
    return quoted(word.text) + " is a command of the shell and would be another program here";
  }
  return judge_by_rule(name, rule, words.subspan(1), situation);
}

}  // namespace deft::shell
