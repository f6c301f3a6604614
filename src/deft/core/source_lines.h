#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace deft {

// In what the columns of a text are counted by whoever talks about it.
enum class ColumnUnit : std::uint8_t {
  utf8,   // bytes
  utf16,  // code units: a character outside of the basic plane is two
  utf32,  // characters
};

// The lines of a text and the places in it. A line ends with "\n", "\r\n" or "\r"; behind the last end of line there is
// one more line, which may be empty. Lines and columns of ours are counted from 1, columns in characters (code points);
// those of others from 0, in their units. A place behind the end of a line is its end, one within a character is its
// beginning. Refers to the text, which is UTF-8; does not own it.
class SourceLines {
 public:
  explicit SourceLines(std::string_view text);

  std::size_t count() const { return starts_.size(); }
  std::string_view line(std::size_t number) const;  // without its end; empty if there is no such line

  // Units in a line before a column.
  std::size_t units_before(std::size_t line, std::size_t column, ColumnUnit unit) const;
  // The column that has so many units before it.
  std::size_t column_after(std::size_t line, std::size_t units, ColumnUnit unit) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

// The same within one line.
std::size_t units_before(std::string_view line, std::size_t column, ColumnUnit unit);
std::size_t column_after(std::string_view line, std::size_t units, ColumnUnit unit);

}  // namespace deft
