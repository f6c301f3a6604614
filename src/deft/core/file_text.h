#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/encoding.h"
#include "deft/base/result.h"

namespace deft {

enum class LineEnd : std::uint8_t { lf, crlf, cr };
std::string_view to_string(LineEnd line_end);  // "LF", "CRLF", "CR"

// A text file as the model sees it: UTF-8, "\n" at the ends of lines, no byte order mark; and the way back to its
// bytes, so that a change touches only the bytes of what was changed. Refers to the bytes; does not own them.
class FileText {
 public:
  // exact: carriage returns are characters like others. For someone who writes them down.
  enum class LineEnds : std::uint8_t { folded, exact };

  // Nothing: the bytes are not text.
  static std::optional<FileText> of(std::string_view bytes, LineEnds line_ends = LineEnds::folded);

  std::string_view text() const { return is_identity_ ? bytes_ : std::string_view(text_); }
  const TextEncoding& encoding() const { return encoding_; }
  LineEnd line_end() const { return line_end_; }             // the most frequent; LF if there is none
  bool has_stray_bytes() const { return has_stray_bytes_; }  // shown as U+FFFD

  // Where the offsets into text(), in ascending order, lie in the bytes.
  std::vector<std::size_t> byte_offsets(const std::vector<std::size_t>& offsets) const;
  // The first line end between two byte offsets; if there is none, line_end().
  LineEnd line_end_between(std::size_t begin, std::size_t end) const;
  // UTF-8 in the encoding of this file, without a mark; a plain "\n" becomes `line_end`.
  Result<std::string> encode(std::string_view utf8, LineEnd line_end) const;

 private:
  FileText(std::string_view bytes, const TextEncoding& encoding) : bytes_(bytes), encoding_(encoding) {}
  DecodedCharacter character_at(std::size_t byte_offset) const;  // line ends folded, if they are to be
  void look_at_line_ends(LineEnds line_ends);
  void decode();

  std::string_view bytes_;
  TextEncoding encoding_;
  LineEnd line_end_ = LineEnd::lf;
  bool folds_ = false;
  bool has_stray_bytes_ = false;
  bool is_identity_ = false;  // the bytes are the text
  std::string text_;
};

}  // namespace deft
