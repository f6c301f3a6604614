#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deft {

// The candidate that somebody who wrote `name` most likely meant: a slip of a few letters, another case, another
// ending. Nothing if none is near.
std::optional<std::string> nearest_file_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace deft
