#pragma once

#include <string>
#include <string_view>

namespace deft {

// Lexical only; nobody looks at the disk here.

// Absolute and without ".", ".." and double slashes: "/p/a/../b//c/." → "/p/b/c".
std::string normal_path(std::string_view absolute);
// `path` seen from `folder`, normalised; "~" is not special.
std::string absolute_path(std::string_view path, std::string_view folder);
bool is_at_or_below(std::string_view path, std::string_view folder);
std::string_view parent_path(std::string_view path);  // "/" for "/a" and "/"
std::string_view file_name(std::string_view path);    // after the last slash

// A file name made from an id that a stranger chose: only letters, digits, '-' and '_', bounded, never empty; different
// ids give different names.
std::string safe_file_name(std::string_view id);

}  // namespace deft
