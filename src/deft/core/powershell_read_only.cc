#include "deft/core/powershell_read_only.h"

#include <algorithm>
#include <string>

#include "deft/base/text.h"
#include "deft/core/powershell_line.h"

namespace deft {
namespace {

// None of them runs a block or a text, takes a place to write to, or reaches another machine.
constexpr std::string_view kReaders =
    "get-childitem get-content get-location get-item get-date get-filehash test-path resolve-path split-path join-path "
    "select-string select-object sort-object group-object measure-object compare-object format-list format-table "
    "out-string write-output get-process convertto-json convertfrom-json";

// What some of them can be told that is more than looking: to wait for ever, to reach another machine.
constexpr std::string_view kOtherParameters = "-wait -computername -cn -session -credential";

bool is_parameter_like(std::string_view word, std::string_view parameters) {
  // A parameter may be cut short as long as it is unique: -w, -comp.
  for (std::size_t at = 0; at < parameters.size();) {
    const std::size_t end = std::min(parameters.find(' ', at), parameters.size());
    if (parameters.substr(at, end - at).starts_with(word)) return true;
    at = end + 1;
  }
  return false;
}

bool only_looks(std::string_view command) {
  bool is_first = true;
  for (std::size_t at = 0; at < command.size();) {
    const std::size_t begin = command.find_first_not_of(" \t", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(command.find_first_of(" \t", begin), command.size());
    const std::string_view word = command.substr(begin, end - begin);
    if (is_first && !is_among_words(word, kReaders)) return false;
    const std::string_view name = word.substr(0, word.find(':'));
    if (!is_first && word.starts_with('-') && is_parameter_like(name, kOtherParameters)) return false;
    // A share of another machine, or a drive: it may be one that is no disk (wsman:, env:).
    const std::string_view value = word.substr(word.starts_with('-') ? std::min(name.size() + 1, word.size()) : 0);
    const bool is_elsewhere =
        value.find("\\\\") != value.npos || value.find("//") != value.npos || value.find(':') != value.npos;
    if (!is_first && is_elsewhere) return false;
    is_first = false;
    at = end;
  }
  return !is_first;
}

// Only the cmdlets' own names are: "./get-date" and "Module\get-date" are something else, and so may an alias be.
bool has_other_names(std::string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t|;&\r\n", at);
    if (begin == std::string_view::npos) return false;
    const std::size_t end = std::min(line.find_first_of("|;&\r\n", begin), line.size());
    const std::string_view command = line.substr(begin, end - begin);
    const std::string_view name = command.substr(0, command.find_first_of(" \t"));
    if (name.find_first_of("/\\.:") != std::string_view::npos || name.find('-') == std::string_view::npos) return true;
    at = end;
  }
  return false;
}

bool is_reader(std::string_view command) {
  return is_among_words(command.substr(0, command.find_first_of(" \t")), kReaders);
}

}  // namespace

bool names_only_readers(const PowerShellLine& line) {
  return !line.not_understood && std::ranges::all_of(line.commands, is_reader);
}

bool is_read_only_powershell(std::string_view text) {
  const PowerShellLine line = read_powershell_line(text);
  if (line.not_understood || has_other_names(text)) return false;
  return std::ranges::all_of(line.commands, [](const std::string& command) { return only_looks(command); });
}

}  // namespace deft
