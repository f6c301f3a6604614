#pragma once

#include <string>
#include <string_view>

#include "deft/shell/known/command.h"

// A repository's configuration names programs that git runs while it reads: filters, text converters, monitors,
// external diffs. Only keys that are known to name none are let through.

namespace deft::shell {

// The text of one configuration file.
Problem judge_git_config(std::string_view text);

// All configuration that git would read for a command in `directory`, found as git finds it: upwards, through .git
// files and linked working trees. `must_exist`: no repository there is a problem too.
Problem judge_git_repository(const std::string& directory, const FileView& files, bool must_exist);

}  // namespace deft::shell
