#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/os/files.h"

// Where a project has its own files for us: in its folders, from the one that a session works in up to the
// repository's.

namespace deft {

std::string below(const std::string& folder, std::string_view name);

// The repository that the directory (canonical) is in; the directory itself if it is in none, or in one that a stranger
// has put around it (os/strangers_folder.h).
std::string repository_of(const std::string& directory, Files& files);
// From the directory up to its repository, the nearest first.
std::vector<std::string> project_folders(const std::string& directory, Files& files);

}  // namespace deft
