#pragma once

#include <cstddef>
#include <memory>

#include "deft/tools/tool.h"

namespace deft {

inline constexpr std::size_t kReadLinesDefault = 2'000;
inline constexpr std::size_t kReadLineCharactersMax = 2'000;  // a line read alone may be longer
inline constexpr std::size_t kReadCharactersMax = 100'000;    // the whole result, its notice included

std::shared_ptr<Tool> make_read_tool();

}  // namespace deft
