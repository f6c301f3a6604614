#include "deft/core/file_text.h"

#include "deft/base/check.h"
#include "deft/base/utf8.h"

namespace deft {

std::string_view to_string(LineEnd line_end) {
  switch (line_end) {
    case LineEnd::lf: return "LF";
    case LineEnd::crlf: return "CRLF";
    case LineEnd::cr: return "CR";
  }
  return "LF";
}

std::optional<FileText> FileText::of(std::string_view bytes, LineEnds line_ends) {
  const auto encoding = detect_encoding(bytes);
  if (!encoding) return std::nullopt;
  FileText text(bytes, *encoding);
  text.look_at_line_ends(line_ends);
  text.is_identity_ = *encoding == TextEncoding{} && !text.folds_ && is_utf8(bytes);
  if (!text.is_identity_) text.decode();
  return text;
}

std::vector<std::size_t> FileText::byte_offsets(const std::vector<std::size_t>& offsets) const {
  if (is_identity_) return offsets;
  std::vector<std::size_t> found;
  found.reserve(offsets.size());
  std::size_t at_byte = byte_order_mark(encoding_).size();
  std::size_t at_text = 0;
  std::string character;
  for (const std::size_t offset : offsets) {
    DEFT_CHECK(offset >= at_text && offset <= text_.size());
    while (at_text < offset) {
      const DecodedCharacter c = character_at(at_byte);
      character.clear();
      append_utf8(character, c.code_point);
      at_text += character.size();
      at_byte += c.bytes;
    }
    found.push_back(at_byte);
  }
  return found;
}

LineEnd FileText::line_end_between(std::size_t begin, std::size_t end) const {
  if (is_identity_) return LineEnd::lf;
  while (begin < end) {
    const DecodedCharacter c = character_at(begin);
    if (c.code_point == '\n') {
      if (line_end_ == LineEnd::cr) return LineEnd::cr;
      const bool is_wide = encoding_.encoding == Encoding::utf16_le || encoding_.encoding == Encoding::utf16_be;
      return c.bytes > (is_wide ? 2U : 1U) ? LineEnd::crlf : LineEnd::lf;
    }
    begin += c.bytes;
  }
  return line_end_;
}

Result<std::string> FileText::encode(std::string_view utf8, LineEnd line_end) const {
  if (line_end == LineEnd::lf) return encode_text(utf8, encoding_.encoding);
  std::string text;
  text.reserve(utf8.size() + utf8.size() / 16);
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const bool is_plain = utf8[i] == '\n' && (i == 0 || utf8[i - 1] != '\r');
    if (is_plain) text += '\r';
    if (!is_plain || line_end == LineEnd::crlf) text += utf8[i];
  }
  return encode_text(text, encoding_.encoding);
}

DecodedCharacter FileText::character_at(std::size_t byte_offset) const {
  DecodedCharacter c = decode_character(bytes_.substr(byte_offset), encoding_.encoding);
  if (c.code_point != '\r' || !folds_) return c;
  if (line_end_ == LineEnd::cr) return {'\n', c.bytes, false};
  const std::string_view rest = bytes_.substr(byte_offset + c.bytes);
  if (rest.empty()) return c;
  const DecodedCharacter next = decode_character(rest, encoding_.encoding);
  if (next.code_point == '\n') return {'\n', c.bytes + next.bytes, false};
  return c;
}

void FileText::look_at_line_ends(LineEnds line_ends) {
  if (bytes_.find('\r') == std::string_view::npos) return;
  std::size_t plain = 0;
  std::size_t with_return = 0;
  std::size_t returns = 0;
  char32_t before = 0;
  for (std::size_t i = byte_order_mark(encoding_).size(); i < bytes_.size();) {
    const DecodedCharacter c = decode_character(bytes_.substr(i), encoding_.encoding);
    returns += c.code_point == '\r';
    if (c.code_point == '\n') ++(before == '\r' ? with_return : plain);
    before = c.code_point;
    i += c.bytes;
  }
  // A file whose lines end in a carriage return alone has no line feed at all.
  if (plain + with_return == 0 && returns > 0) line_end_ = LineEnd::cr;
  if (with_return > plain) line_end_ = LineEnd::crlf;
  folds_ = line_ends == LineEnds::folded && (with_return > 0 || line_end_ == LineEnd::cr);
}

void FileText::decode() {
  text_.reserve(bytes_.size());
  for (std::size_t i = byte_order_mark(encoding_).size(); i < bytes_.size();) {
    const DecodedCharacter c = character_at(i);
    append_utf8(text_, c.code_point);
    has_stray_bytes_ = has_stray_bytes_ || c.is_stray;
    i += c.bytes;
  }
}

}  // namespace deft
