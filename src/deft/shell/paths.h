#pragma once

#include <string>
#include <string_view>

namespace deft::shell {

// "/a/b" and "../c/./d" make "/a/c/d", by text alone: as `cd` reads a path. An absolute `path` replaces `base`.
std::string join_paths(std::string_view base, std::string_view path);

}  // namespace deft::shell
