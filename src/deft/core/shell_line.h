#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/shell/commands.h"
#include "deft/shell/named_paths.h"

// A command line as rules see it: the simple commands in it, and the commands that those would run in turn.

namespace deft {

inline constexpr std::size_t kLineCommandsMax = 2'000;
inline constexpr int kLineDepthMax = 8;  // texts in texts, wrappers in wrappers

struct ShellLine {
  std::string text;
  // Why it cannot be judged at all: not parsed, hidden characters, too long, too complicated.
  std::optional<std::string> not_understood;
  // Why some of what it runs cannot be told (eval of a variable, text piped into a shell); the rest is listed.
  std::optional<std::string> not_followed;
  // It defines functions or runs text: its words may not mean what they say.
  bool may_redefine = false;
  std::vector<shell::CommandUse> commands;  // that stand in the line, substitutions included
  // What wrappers, -c texts and find -exec among them run, at any depth. May list more than would run.
  std::vector<shell::CommandUse> inner;
  // Of a line that is not understood: what it would run if carriage returns and continued lines were not there. Only to
  // deny.
  std::vector<shell::CommandUse> guessed;
};

ShellLine read_shell_line(std::string_view text, const shell::Surroundings& surroundings);

// Names that change nothing but how a command runs; allow rules look behind them. Nothing if there is none in front,
// or if an option of it is not known.
std::vector<shell::Argument> without_wrappers(const std::vector<shell::Argument>& words);

// What the words run in turn: sudo, env, xargs, find -exec, sh -c …
struct RunByCommand {
  std::vector<std::vector<shell::Argument>> commands;
  std::vector<shell::Argument> assignments;  // NAME=VALUE, for what runs: env GIT_PAGER=…
  std::vector<std::string> texts;            // shell text
  std::vector<std::string> maybe_texts;      // the same, but what cannot be parsed is none
  std::optional<std::string> not_followed;   // something runs that cannot be told
  bool reads_input = false;                  // runs what it is fed: here-documents, what others print
  bool reads_code = false;                   // runs programs that it is fed: python3 - <<E
  bool reads_escapes = false;                // reads commands of its own, some of which may be for a shell: ed, psql
};
RunByCommand run_by(const std::vector<shell::Argument>& words);

}  // namespace deft
