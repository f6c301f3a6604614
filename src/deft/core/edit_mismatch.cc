#include "deft/core/edit_mismatch.h"

#include <algorithm>
#include <array>
#include <optional>

#include "deft/base/text.h"
#include "deft/core/patch.h"

// Both texts are made alike in one respect after the other, until one occurs in the other. No such step removes a
// line end of the file, so that a place found has its line number still.

namespace deft {

namespace {

constexpr std::size_t kExplainedBytesMax = std::size_t{2} << 20;  // in a larger file the search takes too long
constexpr std::size_t kLinesComparedMax = 1'000'000;
constexpr std::size_t kLineShownCharactersMax = 100;
constexpr std::string_view kNoReason = " was not found in the file: read the file again and copy the text exactly.";
constexpr std::string_view kNotFound = " was not found: ";

std::string replace_each(std::string_view text,
                         std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto* found = std::find_if(pairs.begin(), pairs.end(),
                                     [&](const auto& pair) { return text.substr(i).starts_with(pair.first); });
    if (found == pairs.end()) {
      out += text[i++];
    } else {
      out += found->second;
      i += found->first.size();
    }
  }
  return out;
}

std::string without_returns(std::string_view text) { return replace_each(text, {{"\r\n", "\n"}, {"\r", ""}}); }

std::string without_blanks(std::string_view text) {
  return replace_each(text, {{" ", ""}, {"\t", ""}, {"\r", ""}, {"\xC2\xA0", ""}, {"\xE3\x80\x80", ""}});
}

std::string with_plain_punctuation(std::string_view text) {
  return replace_each(text, {{"‘", "'"},
                             {"’", "'"},
                             {"‚", "'"},
                             {"“", "\""},
                             {"”", "\""},
                             {"„", "\""},
                             {"«", "\""},
                             {"»", "\""},
                             {"–", "-"},
                             {"—", "-"},
                             {"−", "-"},
                             {"…", "..."},
                             {"`", "'"}});
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::string without_escapes(std::string_view text) {
  return replace_each(text, {{"\\n", "\n"}, {"\\t", "\t"}, {"\\\"", "\""}, {"\\'", "'"}, {"\\\\", "\\"}});
}

// "    12\tint x;" → "int x;", if every line begins like that.
std::optional<std::string> without_line_numbers(std::string_view text) {
  std::string out;
  for (std::string_view line : split_lines(text)) {
    const std::size_t digits = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t tab = std::min(line.find_first_not_of("0123456789", digits), line.size());
    if (tab == digits || tab == line.size() || (line[tab] != '\t' && !line.substr(tab).starts_with("→")))
      return std::nullopt;
    out += line.substr(tab + (line[tab] == '\t' ? 1 : std::string_view("→").size()));
  }
  return out;
}

std::optional<std::size_t> line_of(std::string_view text, std::string_view wanted) {
  if (wanted.find_first_not_of('\n') == std::string_view::npos) return std::nullopt;
  const std::size_t at = text.find(wanted);
  if (at == std::string_view::npos) return std::nullopt;
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::string_view without_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

// The place where most lines of `wanted`, from its first on, are found in a row.
std::optional<std::string> explain_by_lines(std::string_view text, std::string_view wanted) {
  const Lines have = split_lines(text);
  const Lines want = split_lines(wanted);
  if (want.size() < 2) return std::nullopt;
  std::size_t best = 0;
  std::size_t best_at = 0;
  std::size_t compared = 0;
  for (std::size_t at = 0; at < have.size() && compared < kLinesComparedMax; ++at) {
    if (!have[at].ends_with(want[0])) continue;
    std::size_t same = 1;
    while (same < want.size() && at + same < have.size() && have[at + same] == want[same]) ++same;
    compared += same;
    if (same > best) best = same, best_at = at;
  }
  if (best == 0 || best == want.size()) return std::nullopt;
  std::string out = "its first ";
  out += best == 1 ? "line is line " : std::to_string(best) + " lines begin at line ";
  out += std::to_string(best_at + 1) + " of the file, but then ";
  if (best_at + best >= have.size()) return out + "the file ends.";
  out += "line " + std::to_string(best_at + best + 1) + " is “" +
         one_line(without_end(have[best_at + best]), kLineShownCharactersMax) + "”, not “" +
         one_line(without_end(want[best]), kLineShownCharactersMax) + "”.";
  return out;
}

}  // namespace

std::string explain_mismatch(std::string_view text, std::string_view wanted, std::string_view name) {
  const std::string no_reason = std::string(name) + std::string(kNoReason);
  const std::string not_found = std::string(name) + std::string(kNotFound);
  if (text.size() > kExplainedBytesMax) return no_reason;
  const auto at_line = [](std::size_t line) { return " at line " + std::to_string(line); };
  if (const auto line = line_of(without_returns(text), without_returns(wanted))) {
    return not_found + "its line ends (carriage returns) are not those of the file" + at_line(*line) +
           "; write plain line ends, they match whatever the file has.";
  }
  if (const auto plain = without_line_numbers(wanted)) {
    if (const auto line = line_of(text, *plain)) {
      return not_found + "it contains the line numbers that Read shows; without them it is" + at_line(*line) + ".";
    }
  }
  if (const auto line = line_of(without_blanks(text), without_blanks(wanted))) {
    return not_found + "it differs in white space (blanks, tabs, indentation) from the text" + at_line(*line) +
           "; copy that exactly.";
  }
  if (const auto line = line_of(with_plain_punctuation(text), with_plain_punctuation(wanted))) {
    return not_found + "it differs in quotation marks, dashes or dots from the text" + at_line(*line) +
           "; copy that exactly.";
  }
  if (const auto line = line_of(text, without_escapes(wanted))) {
    return not_found +
           "it is escaped once too often; with real line ends, tabs, quotes and "
           "backslashes it is" +
           at_line(*line) + ".";
  }
  if (const auto line = line_of(lower_case(text), lower_case(wanted))) {
    return not_found + "it differs in upper and lower case from the text" + at_line(*line) + ".";
  }
  if (const auto explained = explain_by_lines(text, wanted)) return not_found + *explained;
  return no_reason;
}

}  // namespace deft
