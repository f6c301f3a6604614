#include "deft/base/whole_search.h"

#include "deft/base/regex_literals.h"

namespace deft {
namespace {

// When trying one place after another reads more than this for what lies between them, going once over everything is
// faster. It also keeps the time linear, whatever the pattern.
constexpr std::size_t kBytesTriedFree = 4'096;

}  // namespace

WholePattern::WholePattern(Regex regex) : regex_(std::move(regex)) {
  anywhere_ = LiteralSearch::make(required_literals(regex_.tree()).any_of);
  at_begin_ = LiteralSearch::make(literals_at_begin(regex_.tree()));
}

bool WholeSearch::has_match(std::string_view text) {
  if (pattern_.anywhere_ && !pattern_.anywhere_->find(text, 0)) return false;
  if (!pattern_.at_begin_) return search_.first_end(text, 0).has_value();
  std::size_t tried = 0;
  auto begin = pattern_.at_begin_->find(text, 0);
  while (begin) {
    if (search_.first_end_here(text, *begin)) return true;
    tried += search_.looked_here_to() - *begin;
    if (tried > kBytesTriedFree + *begin) return search_.first_end(text, *begin + 1).has_value();
    begin = pattern_.at_begin_->find(text, *begin + 1);
  }
  return false;
}

std::optional<Span> WholeSearch::find(std::string_view text, std::size_t from) {
  if (!pattern_.at_begin_) return search_.find(text, from);
  const auto begin = pattern_.at_begin_->find(text, from);
  return begin ? search_.find(text, *begin) : std::nullopt;
}

}  // namespace deft
