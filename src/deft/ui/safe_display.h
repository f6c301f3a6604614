#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace deft {

inline constexpr std::size_t kShownInputBytesMax = std::size_t{64} << 10;

enum class LineEnds : std::uint8_t { escaped, kept };

// Text of a stranger as a person may look at it: what would move, colour, hide or reorder anything on a terminal stands
// there as a visible escape, and different texts look different. Bytes of control characters and bytes that are no
// UTF-8 are \xHH; invisible characters, odd blanks, bidirectional controls and letters that run from right to left are
// \uHHHH or \UHHHHHHHH; a backslash is doubled only where it could be taken for the beginning of one of these. All else
// stands for itself.
std::string safe_display(std::string_view text, LineEnds line_ends = LineEnds::escaped);

// The same, every line of it behind a bar, so that no line of it can be taken for one of ours. What is beyond
// kShownInputBytesMax is counted.
std::string quoted_display(std::string_view text);

}  // namespace deft
