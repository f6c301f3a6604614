#pragma once

#include <string>
#include <string_view>
#include <vector>

// What people write for the model into DEFT.md, CLAUDE.md and the rules beside them, as text. Pure.

namespace deft {

inline constexpr std::size_t kImportsPerFileMax = 200;
inline constexpr std::size_t kRulePathsMax = 200;

struct MemoryText {
  std::string text;                  // without front matter and block comments
  std::vector<std::string> imports;  // the paths after "@", as written, each once; not those inside code
  std::vector<std::string> paths;    // of the front matter: globs of the files that it is about; empty: all
};

// Front matter stands between "---" lines at the very beginning; of it only `paths` counts: one glob, several separated
// by commas, or a list. A block comment begins a line with "<!--" and ends with the line that has "-->"; inside code it
// is text. An import begins a word: "see @docs/style.md". Blanks in it are written "\ ".
MemoryText read_memory_text(std::string_view text);

// Whether what follows the "@" may be a path with a sentence's punctuation after it: "docs/a.md," → "docs/a.md".
std::string_view without_punctuation(std::string_view path);

}  // namespace deft
