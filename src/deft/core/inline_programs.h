#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/shell/commands.h"

namespace deft {

// Shell commands that stand, letter for letter, in what a command line gives to a program: system("…") in code for
// awk, perl, python and their like, `vim -c '!…'`, `tar --to-command=…`, `sed 'e …'`, `make SHELL=…`. Only for denying:
// some of the texts may be no commands at all, and what a program makes up itself is not found.
std::vector<std::string> texts_in_programs(const std::vector<shell::Argument>& words);

// What ed, gdb, sqlite3, psql and their like would give to a shell: !COMMAND, .shell COMMAND, \! COMMAND.
std::vector<std::string> shell_escapes(std::string_view text);

// Those that stand in code for an interpreter: system("…"), exec rm x. And whether this is one.
std::vector<std::string> texts_in_code(std::string_view code);
bool is_interpreter(std::string_view name);

}  // namespace deft
