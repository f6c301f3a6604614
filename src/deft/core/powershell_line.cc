#include "deft/core/powershell_line.h"

#include <algorithm>
#include <array>
#include <utility>

#include "deft/base/text.h"

namespace deft {
namespace {

// Those that PowerShell knows on one system or another. Where a name is a program elsewhere and does the same (ls, cat,
// rm, curl), it is the alias here; where the program can do more than the cmdlet (sort, compare, write), it is not.
struct Cmdlet {
  std::string_view name;
  std::string_view aliases;
};
constexpr std::array<Cmdlet, 44> kCmdlets = {{{"get-childitem", "gci ls dir"},
                                              {"remove-item", "ri rm rmdir rd del erase"},
                                              {"copy-item", "cpi cp copy"},
                                              {"move-item", "mi mv move"},
                                              {"rename-item", "rni ren"},
                                              {"get-content", "gc cat type"},
                                              {"set-content", "sc"},
                                              {"add-content", "ac"},
                                              {"clear-content", "clc"},
                                              {"set-location", "sl cd chdir"},
                                              {"get-location", "gl pwd"},
                                              {"push-location", "pushd"},
                                              {"pop-location", "popd"},
                                              {"new-item", "ni md mkdir"},
                                              {"get-item", "gi"},
                                              {"set-item", "si"},
                                              {"invoke-item", "ii"},
                                              {"clear-item", "cli"},
                                              {"write-output", "echo"},
                                              {"select-string", "sls"},
                                              {"select-object", "select"},
                                              {"where-object", "where ?"},
                                              {"foreach-object", "foreach %"},
                                              {"group-object", "group"},
                                              {"measure-object", "measure"},
                                              {"tee-object", "tee"},
                                              {"format-list", "fl"},
                                              {"format-table", "ft"},
                                              {"get-process", "gps ps"},
                                              {"stop-process", "spps kill"},
                                              {"start-process", "saps start"},
                                              {"get-service", "gsv"},
                                              {"start-service", "sasv"},
                                              {"stop-service", "spsv"},
                                              {"invoke-expression", "iex"},
                                              {"invoke-command", "icm"},
                                              {"invoke-webrequest", "iwr curl wget"},
                                              {"invoke-restmethod", "irm"},
                                              {"get-command", "gcm"},
                                              {"get-help", "help man"},
                                              {"get-variable", "gv"},
                                              {"set-variable", "sv set"},
                                              {"get-history", "h ghy history"},
                                              {"clear-host", "cls clear"}}};

// They run text or blocks of their own.
constexpr std::string_view kRunners =
    "invoke-expression invoke-command foreach-object where-object start-process start-job pwsh powershell cmd bash sh "
    "wsl new-psdrive add-type set-alias new-alias";

// They work on what they are given, not on files that it names.
constexpr std::string_view kShapers =
    "select-object sort-object group-object measure-object compare-object format-list format-table out-string "
    "convertto-json convertfrom-json write-output";
constexpr std::string_view kFolderChangers = "set-location push-location pop-location";
constexpr std::size_t kWordsMax = 1'000;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Nothing in it that PowerShell reads in a way of its own: no variables, blocks, quotes, escapes, redirections.
bool is_plain(std::string_view command) {
  return !command.empty() && std::ranges::all_of(command, [](char c) {
    const bool is_letter_or_digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return is_letter_or_digit || std::string_view(" \t_./:\\-=*,+").find(c) != std::string_view::npos;
  });
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> pieces;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
    const std::string_view piece = trimmed(text.substr(start, end - start));
    if (!piece.empty()) pieces.push_back(piece);
    start = end + 1;
  }
  return pieces;
}

std::string_view name_of(std::string_view command) { return command.substr(0, command.find_first_of(" \t")); }

// Parameters are none, but what stands behind their colon may be one: -Path:x.
void add_words(std::string_view text, PowerShellLine& line) {
  for (std::string_view word : split(text, " \t\r\n,;|&(){}<>=\"'`")) {
    if (line.words.size() == kWordsMax) {
      line.not_understood = "it has very many words";
      return;
    }
    if (const std::size_t colon = word.rfind("::"); colon != std::string_view::npos) word.remove_prefix(colon + 2);
    if (word.starts_with('-')) word.remove_prefix(std::min(word.find(':'), word.size() - 1) + 1);
    if (word.empty()) continue;
    std::string path(word);
    std::ranges::replace(path, '\\', '/');
    line.words.push_back(std::move(path));
  }
}

bool is_fed(std::string_view text, std::string_view piece) {
  const std::string_view before = text.substr(0, static_cast<std::size_t>(piece.data() - text.data()));
  const std::size_t last = before.find_last_not_of(" \t\r\n");
  return last != std::string_view::npos && before[last] == '|' && (last == 0 || before[last - 1] != '|');
}

}  // namespace

std::string powershell_place(std::string_view command) {
  std::string name = lower(name_of(trimmed(command)));
  std::ranges::replace(name, '\\', '/');
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

std::string powershell_spelling(std::string_view command) {
  std::string text = lower(trimmed(command));
  if (text.ends_with(":*")) text.replace(text.size() - 2, 2, " *");
  const std::size_t end = std::min(text.find_first_of(" \t*"), text.size());
  std::string name = text.substr(0, end);
  // Module\Name, .\name.exe, name.exe
  const std::size_t slash = name.find_last_of("\\/");
  if (slash != std::string::npos && slash + 1 < name.size()) name.erase(0, slash + 1);
  if (name.ends_with(".exe")) name.resize(name.size() - 4);
  const auto is_alias = [&](const Cmdlet& cmdlet) { return is_among_words(name, cmdlet.aliases); };
  const auto* cmdlet = std::ranges::find_if(kCmdlets, is_alias);
  if (cmdlet != kCmdlets.end()) name = cmdlet->name;
  return name + text.substr(end);
}

PowerShellLine read_powershell_line(std::string_view text) {
  PowerShellLine line;
  // A single "&" starts a program or a job: it separates as well, but the line is not plain then.
  const auto pieces = split(text, "|;&\n\r");
  for (const std::string_view piece : pieces) {
    line.commands.push_back(powershell_spelling(piece));
    line.places.push_back(powershell_place(piece));
    const std::string_view name = name_of(line.commands.back());
    line.changes_folder = line.changes_folder || is_among_words(name, kFolderChangers);
    line.feeds_names = line.feeds_names || (is_fed(text, piece) && !is_among_words(name, kShapers));
    if (!is_plain(piece) || is_among_words(name, kRunners)) line.not_understood = "it is more than plain commands";
  }
  for (std::size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 2)) {
    if (at + 1 == text.size() || text[at + 1] != '&') line.not_understood = "it starts a program or a job by &";
  }
  if (pieces.empty()) line.not_understood = "there is no command in it";
  add_words(text, line);
  if (!line.not_understood) return line;
  // What stands in blocks, strings and substitutions may be a command, too.
  for (const std::string_view piece : split(text, "|;&\n\r(){}\"'`$")) {
    line.commands.push_back(powershell_spelling(piece));
  }
  return line;
}

}  // namespace deft
