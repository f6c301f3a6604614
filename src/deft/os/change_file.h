#pragma once

#include <functional>
#include <string>

#include "deft/base/result.h"

namespace deft {

// Reads a file, changes its text and puts the new one in its place at one stroke, alone: another process that does the
// same waits. Whoever is killed leaves the old file or the new one. A missing file is an empty text; missing folders
// are made, private to the user. The lock is a file of its own beside it, "<file>.lock", which stays.
Result<void> change_file(const std::string& path, const std::function<Result<std::string>(std::string text)>& change);

}  // namespace deft
