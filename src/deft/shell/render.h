#pragma once

#include <string>

#include "deft/shell/commands.h"
#include "deft/shell/syntax.h"

namespace deft::shell {

// The parse as an indented tree, for people: one line per command, what is inside below it.
std::string render(const List& script);
// The reduction: the commands that could run, numbered, and what could not be resolved.
std::string render(const Commands& commands);

}  // namespace deft::shell
