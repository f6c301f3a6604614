#include "deft/tools/plain_command.h"

#include <algorithm>
#include <array>

namespace deft {
namespace {

enum class Operands { none, words, paths, paths_or_here };
struct KnownCommand {
  std::string_view name;
  std::string_view flags;  // single letters, each harmless and without argument
  Operands operands;
};

constexpr std::array<KnownCommand, 10> kKnown = {{{"true", "", Operands::none},
                                                  {"pwd", "LP", Operands::none},
                                                  {"whoami", "", Operands::none},
                                                  {"echo", "nE", Operands::words},
                                                  {"sleep", "", Operands::words},
                                                  {"ls", "aAlhtrSR1dF", Operands::paths_or_here},
                                                  {"cat", "nbsET", Operands::paths},
                                                  {"wc", "lwcm", Operands::paths},
                                                  {"head", "", Operands::paths},
                                                  {"tail", "", Operands::paths}}};

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_./:@%+,-").find(c) != std::string_view::npos;
}

std::optional<std::vector<std::string_view>> plain_words(std::string_view command) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < command.size();) {
    if (command[i] == ' ') {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < command.size() && is_plain(command[end])) ++end;
    if (end == i) return std::nullopt;
    words.push_back(command.substr(i, end - i));
    i = end;
  }
  return words;
}

}  // namespace

std::optional<PlainReadOnlyCommand> plain_read_only_command(std::string_view command) {
  const auto words = plain_words(command);
  if (!words || words->empty()) return std::nullopt;
  const auto known = std::find_if(kKnown.begin(), kKnown.end(),
                                  [&](const KnownCommand& candidate) { return candidate.name == words->front(); });
  if (known == kKnown.end()) return std::nullopt;
  PlainReadOnlyCommand result;
  for (std::size_t i = 1; i < words->size(); ++i) {
    const std::string_view word = (*words)[i];
    if (word.starts_with('-')) {
      const bool harmless = word.size() > 1 && word.find_first_not_of(known->flags, 1) == std::string_view::npos;
      if (!harmless) return std::nullopt;
      continue;
    }
    if (known->operands == Operands::none) return std::nullopt;
    if (known->operands != Operands::words) result.paths.emplace_back(word);
  }
  if (known->operands == Operands::paths && result.paths.empty()) return std::nullopt;  // it would read its input
  if (known->operands == Operands::paths_or_here && result.paths.empty()) result.paths.emplace_back(".");
  return result;
}

}  // namespace deft
