#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "deft/tools/tool.h"

namespace deft {

inline constexpr std::size_t kReadLinesDefault = 2'000;
inline constexpr std::size_t kReadLineCharactersMax = 2'000;  // a line read alone may be longer
inline constexpr std::size_t kReadCharactersMax = 100'000;    // the whole result, its notice included

// What else the model is told when it has read the file of this canonical path: memory about the place. Called on
// workers.
using AfterReading = std::function<std::vector<std::string>(const std::string& path)>;

std::shared_ptr<Tool> make_read_tool(AfterReading after_reading = nullptr);

}  // namespace deft
