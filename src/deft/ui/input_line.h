#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace deft {

// The next line, without its end; nothing: there is none left.
std::optional<std::string> read_line(std::FILE* from);

// Whether the person at the terminal says yes; `command` says that nobody is there if it is so.
bool confirms(std::string_view command, std::string_view question);

}  // namespace deft
