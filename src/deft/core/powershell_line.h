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
  // What may be a path in it, as written, but with "/" for "\\", which is the same here.
  std::vector<std::string> words;
  // Where each command's program is said to be, in lower case: "./" of `.\\build.ps1 x`, empty of a plain name. Rules
  // that allow a name do not mean whatever is called so elsewhere.
  std::vector<std::string> places;
  bool changes_folder = false;  // then paths may be relative to another one
  bool feeds_names = false;     // one command gets from another what it works on
  std::optional<std::string> not_understood;
};
PowerShellLine read_powershell_line(std::string_view text);

// Of a command, or of a rule's text: see PowerShellLine::places.
std::string powershell_place(std::string_view command);

// A rule's text, spelled as the commands above are.
std::string powershell_spelling(std::string_view command);

}  // namespace deft
