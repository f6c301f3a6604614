#include "deft/core/fair_slots.h"

#include <algorithm>

namespace deft {

bool FairSlots::take(Member member) {
  const auto at = std::ranges::find(line_, member);
  const auto before = static_cast<std::size_t>(at - line_.begin());
  if (free_ <= before) {
    if (at == line_.end()) line_.push_back(member);
    return false;
  }
  --free_;
  if (at != line_.end()) line_.erase(at);
  return true;
}

std::vector<FairSlots::Member> FairSlots::give_back() {
  ++free_;
  return first_in_line();
}

std::vector<FairSlots::Member> FairSlots::leave(Member member) {
  std::erase(line_, member);
  return first_in_line();
}

std::vector<FairSlots::Member> FairSlots::first_in_line() const {
  const auto count = static_cast<std::ptrdiff_t>(std::min(free_, line_.size()));
  return {line_.begin(), line_.begin() + count};
}

}  // namespace deft
