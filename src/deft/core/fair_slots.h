#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace deft {

// Slots that several share, none of whom waits for ever: whoever finds none free stands in line, and whoever comes
// later gets one only if there is one more than those before it could take. Pure.
class FairSlots {
 public:
  using Member = std::size_t;
  explicit FairSlots(std::size_t slots_max) : free_(slots_max) {}

  bool take(Member member);  // false: it stands in line now
  // Who may take one now, and should be asked whether it still wants to.
  std::vector<Member> give_back();
  std::vector<Member> leave(Member member);  // it does not wait any more

  std::size_t free() const { return free_; }

 private:
  std::vector<Member> first_in_line() const;

  std::size_t free_;
  std::deque<Member> line_;
};

}  // namespace deft
