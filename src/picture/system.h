#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace picture {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::size_t kInputBytesMax = std::size_t{64} << 20;

Bytes read_input();  // all of standard input, at most kInputBytesMax
bool write_output(const Bytes& bytes);

}  // namespace picture
