#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace deft {

// As `cat -n` writes them: the number, six wide, a tab, the line. `out` gets a line end first unless it is empty.
void append_numbered(std::string& out, std::uint64_t number, std::string_view line);
// How many characters that adds to the line itself.
std::size_t numbered_characters(std::uint64_t number);

}  // namespace deft
