#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "deft/shell/syntax.h"

namespace deft::shell {

// What an exit code says, where it is not a failure: grep ends with 1 when nothing matched. The last command of the
// line decides, as its code is the line's. Nothing: the code means what it usually means.
struct ExitMeaning {
  std::string text;  // "no matches found"
};
std::optional<ExitMeaning> meaning_of_exit(const List& script, int code);
std::optional<ExitMeaning> meaning_of_exit(std::string_view command, int code);

}  // namespace deft::shell
