#pragma once

#include <string>

namespace deft {

// The first folder on the way to a file that is not there; empty: all are.
std::string topmost_missing_folder(const std::string& path);

}  // namespace deft
