#include "deft/tools/environment_use.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace deft {
namespace {

constexpr std::array<std::string_view, 7> kPrintAllVariables = {"env",     "printenv", "export", "declare",
                                                                "typeset", "compgen",  "set"};

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The program's own name, whatever folder it is called from.
std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool prints_all(const shell::CommandUse& use) {
  if (use.words.empty() || !use.words.front().is_exact()) return false;
  return std::ranges::find(kPrintAllVariables, last_part(use.words.front().text)) != kPrintAllVariables.end();
}

}  // namespace

bool uses_withheld_variable(std::string_view command, const shell::Commands& commands,
                            const std::function<bool(std::string_view name)>& is_withheld) {
  if (std::ranges::any_of(commands.commands, prints_all)) return true;
  // By the text alone, quotes or not: at worst a harmless call is asked for.
  for (std::size_t dollar = 0; (dollar = command.find('$', dollar)) != std::string_view::npos;) {
    std::size_t begin = ++dollar;
    if (begin < command.size() && command[begin] == '{') ++begin;
    if (begin < command.size() && command[begin] == '!' && command[begin - 1] == '{')
      return true;  // by another's value
    if (begin < command.size() && command[begin] == '#') ++begin;
    std::size_t end = begin;
    while (end < command.size() && is_name_character(command[end])) ++end;
    if (end > begin && is_withheld(command.substr(begin, end - begin))) return true;
  }
  return false;
}

bool sets_variable(std::string_view command, std::string_view name) {
  for (std::size_t at = 0; (at = command.find(name, at)) != std::string_view::npos; at += name.size()) {
    const char before = at > 0 ? command[at - 1] : ' ';
    const char after = at + name.size() < command.size() ? command[at + name.size()] : ' ';
    const bool is_a_word = !is_name_character(before) && !is_name_character(after);
    if (is_a_word && before != '$' && before != '{' && before != '#') return true;
  }
  return false;
}

}  // namespace deft
