#pragma once

#include <cstddef>
#include <string>

#include "deft/base/result.h"

namespace deft {

// The content of a file that a person has named (a pipe, too), or that is our own. One that is missing is
// Errc::not_found; a folder, what cannot be read and what is longer are errors that name the path and say which.
Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max);

}  // namespace deft
