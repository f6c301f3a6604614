#pragma once

#include <functional>
#include <string>

#include "deft/base/result.h"

namespace deft {

// How a file is changed: its text is read, changed and put back at one stroke, while nobody else changes it. A missing
// file is an empty text. The real one is os/change_file.h.
using ChangeText = std::function<Result<std::string>(std::string text)>;
using ChangeFile = std::function<Result<void>(const std::string& path, const ChangeText& change)>;

}  // namespace deft
