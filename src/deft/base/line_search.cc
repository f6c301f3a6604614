#include "deft/base/line_search.h"

#include <algorithm>
#include <cstring>

#include "deft/base/regex_literals.h"

namespace deft {
namespace {

// When literals lead to a line without a match as often as this, running the automaton over everything is faster; for a
// while, as other files may be different.
constexpr std::size_t kCandidatesJudged = 64;
constexpr std::size_t kBytesPerCandidateMin = 64;
constexpr std::size_t kBytesWithoutLiterals = std::size_t{256} << 10;

Span line_around(std::string_view text, std::size_t from, std::size_t place) {
  const void* before = ::memrchr(text.data() + from, '\n', place - from);
  const void* after = std::memchr(text.data() + place, '\n', text.size() - place);
  const auto position = [&](const void* at) {
    return static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
  };
  return {before ? position(before) + 1 : from, after ? position(after) : text.size()};
}

}  // namespace

LinePattern::LinePattern(Regex regex) : regex_(std::move(regex)) {
  RequiredLiterals literals = required_literals(regex_.tree());
  literals_ = LiteralSearch::make(std::move(literals.any_of));
  literals_suffice_ = literals.exact;
}

std::optional<Span> LineSearch::next(std::string_view text, std::size_t from) {
  if (from >= text.size()) return std::nullopt;
  if (pattern_.literals_ && bytes_without_literals_ == 0) return next_by_literals(text, from);
  const auto end = search_.first_end_by_line(text, from);
  bytes_without_literals_ -= std::min(bytes_without_literals_, end.value_or(text.size()) - from);
  if (!end) return std::nullopt;
  // Behind the last newline there is no line that an empty match could be in.
  if (*end == text.size() && text.back() == '\n') return std::nullopt;
  return line_around(text, from, *end);
}

std::optional<Span> LineSearch::next_by_literals(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    const auto hit = pattern_.literals_->find(text, from);
    if (!hit) {
      bytes_ += text.size() - from;
      return std::nullopt;
    }
    const Span line = line_around(text, from, *hit);
    bytes_ += line.end - from;
    if (pattern_.literals_suffice_) return line;
    if (search_.first_end(text.substr(line.begin, line.end - line.begin), 0)) return line;
    from = line.end + 1;
    ++candidates_;
    judge_literals();
    if (bytes_without_literals_ > 0) return next(text, from);
  }
  return std::nullopt;
}

void LineSearch::judge_literals() {
  if (candidates_ < kCandidatesJudged) return;
  if (bytes_ / candidates_ < kBytesPerCandidateMin) bytes_without_literals_ = kBytesWithoutLiterals;
  candidates_ = 0;
  bytes_ = 0;
}

}  // namespace deft
