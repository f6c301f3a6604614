#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// What a command finds in its environment, as a pure function of what deft was started with. Three things are wrong
// with handing that on: variables that change what bash itself does (the shell that runs would not be the shell that
// was analysed), secrets of the model's API, and whatever makes a program wait for a person.

namespace deft {

// For every command. From `own` (NAME=VALUE each, as in environ) are left out
//   - what changes bash: BASH* (BASH_ENV, BASHOPTS, exported functions …), ENV, SHELLOPTS, POSIXLY_CORRECT, PS4,
//   CDPATH,
//     GLOBIGNORE and their like; every name that is no identifier, every value that looks like an exported function;
//   - secrets (is_secret_name, `secret_names`), and every variable whose value holds the value of one;
//   - what belongs to another place or terminal: PWD, OLDPWD, SHLVL, COLUMNS, LINES, forced colours, password dialogs.
// Pagers become `cat`, editors fail at once, TERM is dumb, git and Debian's tools don't ask. A name that comes twice
// counts once, as programs see it; PATH is never missing.
std::vector<std::string> command_environment(std::span<const std::string> own,
                                             std::span<const std::string> secret_names = {});

// For a call that was judged read-only: only HOME, USER, LOGNAME, LANG, LANGUAGE, LC_*, TZ, TMPDIR and PATH (its
// absolute directories) come from `own`, so nothing that loads code or runs a program by configuration (LD_*, LESSOPEN,
// GIT_* …); and git takes no locks.
std::vector<std::string> read_only_environment(std::span<const std::string> own,
                                               std::span<const std::string> secret_names = {});

// Keys of model APIs: a vendor's prefix (ANTHROPIC_, OPENAI_, GEMINI_ …; DEFT_ too) with KEY, TOKEN, SECRET, PASSWORD,
// CREDENTIAL, AUTH or HEADERS anywhere behind it, and some names without such a prefix (HF_TOKEN …). The keys of other
// services (GITHUB_TOKEN, AWS_…) are the user's own tools' business and pass.
bool is_secret_name(std::string_view name);

}  // namespace deft
