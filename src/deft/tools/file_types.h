#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "deft/base/ignore.h"

namespace deft {

// Files of a kind, by their names: "py", "rust", "make". A name is chosen when the set "ignores" it. Nothing if there
// is no such type.
std::optional<IgnoreFile> file_type(std::string_view type);
// All types, for an error message.
std::string file_type_names();

}  // namespace deft
