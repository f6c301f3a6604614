#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "deft/base/result.h"

namespace deft {

// What one step of a path leads to.
struct PathStep {
  enum class Kind { missing, plain, link, other_name };
  Kind kind = Kind::missing;
  std::string text;  // link: where it points; other_name: the name that was meant
};
// Asked with a path whose folder is resolved already.
using LookAtPath = std::function<Result<PathStep>(const std::string& path)>;

inline constexpr int kPathLinksMax = 40;  // the kernel's own limit

// The path without links, "." and "..", taken in the order in which the kernel takes them: ".." leaves the folder that
// a link led to, not the one in which the link lies. What is missing is kept as written. Loops are an error.
Result<std::string> resolve_path(std::string_view path, const LookAtPath& look);

}  // namespace deft
