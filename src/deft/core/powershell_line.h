#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deft {

// A PowerShell command line as rules see it. Not parsed as bash is: only lines of plain commands between | ; && || and
// line ends are understood.
struct PowerShellLine {
  // In lower case, aliases replaced by the names of their cmdlets: `gci x` is `get-childitem x`. Of a line that is not
  // understood, whatever may be a command in it.
  std::vector<std::string> commands;
  std::optional<std::string> not_understood;
};
PowerShellLine read_powershell_line(std::string_view text);

// A rule's text, spelled as the commands above are.
std::string powershell_spelling(std::string_view command);

}  // namespace deft
