#pragma once

#include <string>

#include "deft/base/result.h"

namespace deft {

// Creates a folder and those above it that are missing, each for its user alone (0700). Those that exist stay as they
// are.
Result<void> make_private_folders(const std::string& path);

}  // namespace deft
