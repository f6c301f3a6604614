#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "deft/shell/parser.h"

// {a,b} and {1..9}. What looks like braces and is not stays text, piece by piece, as in bash: {a}, {}, {a,b without
// end.

namespace deft::shell {
namespace {

inline constexpr std::int64_t kSequenceWordsMax = 64;  // longer ones are kept as they are written

Part literal(std::string text) { return text_part(PartKind::literal, std::move(text)); }

struct Sequence {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t step = 1;
  bool letters = false;
  std::size_t width = 0;  // zero padded to it
};

bool read_integer(std::string_view text, std::int64_t& out) {
  if (text.size() > 9 || text.empty() || text.starts_with('+')) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_padded(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0';
}

enum class SequenceShape { none, valid, doubtful };

SequenceShape read_sequence(std::string_view text, Sequence& out) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return SequenceShape::none;
  const std::string_view from = text.substr(0, dots);
  std::string_view to = text.substr(dots + 2);
  if (const std::size_t more = to.find(".."); more != std::string_view::npos) {
    const std::string_view step = to.substr(more + 2);
    if (!read_integer(step, out.step)) return SequenceShape::doubtful;
    out.step = out.step < 0 ? -out.step : out.step;
    if (out.step == 0) out.step = 1;
    to = to.substr(0, more);
  }
  if (read_integer(from, out.from) && read_integer(to, out.to)) {
    if (is_padded(from) || is_padded(to)) out.width = std::max(from.size(), to.size());
    return SequenceShape::valid;
  }
  if (from.size() == 1 && to.size() == 1) {
    const bool small = from[0] >= 'a' && from[0] <= 'z' && to[0] >= 'a' && to[0] <= 'z';
    const bool capital = from[0] >= 'A' && from[0] <= 'Z' && to[0] >= 'A' && to[0] <= 'Z';
    if (!small && !capital) return SequenceShape::doubtful;
    out.letters = true;
    out.from = from[0];
    out.to = to[0];
    return SequenceShape::valid;
  }
  const bool is_wordy = from.size() > 1 || to.size() > 1 || text == "..";
  return is_wordy && from.find_first_of("0123456789") == std::string_view::npos ? SequenceShape::none
                                                                                : SequenceShape::doubtful;
}

std::string sequence_item(const Sequence& sequence, std::int64_t value) {
  if (sequence.letters) return std::string(1, static_cast<char>(value));
  std::string digits = std::to_string(value < 0 ? -value : value);
  const std::size_t sign = value < 0 ? 1 : 0;
  if (digits.size() + sign < sequence.width) digits.insert(0, sequence.width - sign - digits.size(), '0');
  return sign != 0 ? "-" + digits : digits;
}

Part sequence_part(const Sequence& sequence, std::string_view text) {
  Part part;
  part.kind = PartKind::sequence;
  part.text = "{" + std::string(text) + "}";
  const std::int64_t distance = sequence.to > sequence.from ? sequence.to - sequence.from : sequence.from - sequence.to;
  const std::int64_t count = distance / sequence.step + 1;
  if (count > kSequenceWordsMax) return part;
  const std::int64_t step = sequence.to >= sequence.from ? sequence.step : -sequence.step;
  for (std::int64_t i = 0; i < count; ++i) {
    Word& word = part.alternatives.emplace_back();
    word.source = sequence_item(sequence, sequence.from + i * step);
    word.parts.push_back(literal(word.source));
  }
  return part;
}

// The text of a word that holds nothing but unquoted text.
bool plain_text(const std::vector<Part>& parts, std::string& out) {
  for (const Part& part : parts) {
    if (part.kind != PartKind::literal) return false;
    out += part.text;
  }
  return true;
}

// Ends in $name or in "$", which takes up what comes after it: $x{1,2} is $x1 $x2, and {$x,y}1 is $x1 y1.
bool ends_open(const std::vector<Part>& parts) {
  if (parts.empty()) return false;
  const Part& last = parts.back();
  if (last.kind == PartKind::parameter) return !last.parameter->is_braced;
  if (last.kind == PartKind::literal) return last.text.ends_with('$');
  return std::ranges::any_of(last.alternatives, [](const Word& word) { return ends_open(word.parts); });
}

void append_as_text(std::vector<Part>& out, std::vector<Word> alternatives, std::string end) {
  std::string before = "{";
  for (Word& alternative : alternatives) {
    out.push_back(literal(std::exchange(before, ",")));
    for (Part& part : alternative.parts) out.push_back(std::move(part));
  }
  if (!end.empty()) out.push_back(literal(std::move(end)));
}

}  // namespace

bool Parser::braces(std::vector<Part>& out, const WordStyle& style) {
  const bool follows_name = ends_open(out);
  ++position_;
  WordStyle inside = style;
  inside.in_braces = true;
  std::vector<Word> alternatives;
  while (true) {
    Word& alternative = alternatives.emplace_back();
    const std::size_t start = position_;
    if (!word_parts(alternative.parts, inside)) return false;
    alternative.source = since(start);
    if (peek() != ',') break;
    ++position_;
  }
  if (peek() != '}') {
    append_as_text(out, std::move(alternatives), "");
    return true;
  }
  ++position_;
  if (alternatives.size() > 1) {
    if (follows_name) return fail("a name that goes on in braces");
    Part part;
    part.kind = PartKind::braces;
    part.alternatives = std::move(alternatives);
    out.push_back(std::move(part));
    const bool is_last = at_end() || is_metacharacter(peek()) || (style.in_braces && (peek() == ',' || peek() == '}'));
    return (is_last || !ends_open(out)) || fail("a name that goes on after braces");
  }
  const std::string& source = alternatives[0].source;
  if (source.find("..") != std::string::npos) {
    Sequence sequence;
    std::string text;
    const SequenceShape shape =
        plain_text(alternatives[0].parts, text) ? read_sequence(text, sequence) : SequenceShape::doubtful;
    if (shape == SequenceShape::doubtful) return fail("a brace sequence that is not plain");
    if (shape == SequenceShape::valid) {
      if (follows_name) return fail("a name that goes on in braces");
      out.push_back(sequence_part(sequence, text));
      return true;
    }
  }
  append_as_text(out, std::move(alternatives), "}");
  return true;
}

}  // namespace deft::shell
