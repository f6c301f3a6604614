#include "deft/core/source_lines.h"

#include <algorithm>

#include "deft/base/utf8.h"

namespace deft {
namespace {

// Of the character at the start of `text`; a stray byte is one by itself.
std::size_t bytes_of_first(std::string_view text) { return std::max<std::size_t>(utf8_sequence_length(text), 1); }

std::size_t units_of(std::size_t bytes, ColumnUnit unit) {
  switch (unit) {
    case ColumnUnit::utf8: return bytes;
    case ColumnUnit::utf16: return bytes == 4 ? 2 : 1;
    case ColumnUnit::utf32: break;
  }
  return 1;
}

}  // namespace

SourceLines::SourceLines(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t i = text.find_first_of("\r\n"); i != text.npos; i = text.find_first_of("\r\n", i)) {
    i += text.substr(i).starts_with("\r\n") ? 2 : 1;
    starts_.push_back(i);
  }
}

std::string_view SourceLines::line(std::size_t number) const {
  if (number == 0 || number > starts_.size()) return {};
  const std::string_view rest = text_.substr(starts_[number - 1]);
  return rest.substr(0, rest.find_first_of("\r\n"));
}

std::size_t SourceLines::units_before(std::size_t line_number, std::size_t column, ColumnUnit unit) const {
  return deft::units_before(line(line_number), column, unit);
}

std::size_t SourceLines::column_after(std::size_t line_number, std::size_t units, ColumnUnit unit) const {
  return deft::column_after(line(line_number), units, unit);
}

std::size_t units_before(std::string_view line, std::size_t column, ColumnUnit unit) {
  std::size_t units = 0;
  for (std::size_t at = 1; at < column && !line.empty(); ++at) {
    const std::size_t bytes = bytes_of_first(line);
    units += units_of(bytes, unit);
    line.remove_prefix(bytes);
  }
  return units;
}

std::size_t column_after(std::string_view line, std::size_t units, ColumnUnit unit) {
  std::size_t column = 1;
  while (!line.empty()) {
    const std::size_t bytes = bytes_of_first(line);
    const std::size_t of_first = units_of(bytes, unit);
    if (of_first > units) break;
    units -= of_first;
    line.remove_prefix(bytes);
    ++column;
  }
  return column;
}

}  // namespace deft
