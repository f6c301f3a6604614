// A pattern, a line end, and a text: all the ways to search it agree with each other. By lines, with and without the
// literals that a match must hold; as a whole; in pieces; and only whether there is a match or where it is.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/line_search.h"
#include "deft/base/regex.h"
#include "deft/base/whole_search.h"

namespace {

constexpr std::size_t kMatchesMax = 1'000;

void check_lines(std::string_view pattern, std::string_view text) {
  auto regex = deft::Regex::compile(pattern, {});
  DEFT_CHECK(regex || !regex.error().message.empty());
  if (!regex) return;
  const deft::LinePattern lines(std::move(*regex));
  deft::LineSearch search(lines, {});
  deft::RegexSearch alone(lines.regex(), {});
  std::size_t from = 0;  // where the next line that matches is looked for
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const auto match = alone.find(line, 0);
    DEFT_CHECK(alone.first_end(line, 0).has_value() == match.has_value());

    auto& pieces = alone.in_pieces();
    pieces.begin_text();
    const bool in_pieces = pieces.add_piece(line.substr(0, line.size() / 2)) ||
                           pieces.add_piece(line.substr(line.size() / 2)) || pieces.end_text();
    DEFT_CHECK(in_pieces == match.has_value());

    if (match) {
      const auto found = search.next(text, from);
      DEFT_CHECK(found && found->begin == begin && found->end == end);
      from = end + 1;
    }
    begin = end + 1;
  }
  DEFT_CHECK(from >= text.size() || !search.next(text, from));
}

void check_whole(std::string_view pattern, std::string_view text) {
  auto regex = deft::Regex::compile(pattern, {.dot_matches_newline = true, .by_line = false});
  if (!regex) return;
  deft::RegexSearch everywhere(*regex, {});
  const deft::WholePattern whole(*regex);
  deft::WholeSearch search(whole, {});
  DEFT_CHECK(search.has_match(text) == everywhere.find(text, 0).has_value());
  std::size_t from = 0;
  for (std::size_t matches = 0; matches < kMatchesMax && from <= text.size(); ++matches) {
    const auto match = everywhere.find(text, from);
    DEFT_CHECK(search.find(text, from) == match);
    if (!match) break;
    DEFT_CHECK(match->begin >= from && match->end >= match->begin && match->end <= text.size());
    from = std::max(match->end, from + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view pattern = input.substr(0, end);
  const std::string_view text = input.substr(std::min(end + 1, input.size()));
  check_lines(pattern, text);
  check_whole(pattern, text);
  return 0;
}
