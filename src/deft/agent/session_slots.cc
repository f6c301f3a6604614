#include "deft/agent/session_slots.h"

#include <utility>

namespace deft {

std::unique_ptr<SessionSlots::Seat> SessionSlots::join(std::function<void()> tell) {
  const std::lock_guard lock(mutex_);
  seats_.emplace(++last_, std::move(tell));
  return std::unique_ptr<Seat>(new Seat(*this, last_));
}

void SessionSlots::tell(const std::vector<FairSlots::Member>& members) {
  for (const FairSlots::Member member : members) {
    const auto seat = seats_.find(member);
    if (seat != seats_.end()) seat->second();
  }
}

SessionSlots::Seat::~Seat() {
  const std::lock_guard lock(all_.mutex_);
  all_.seats_.erase(number_);
  all_.tell(all_.slots_.leave(number_));
}

bool SessionSlots::Seat::take() {
  ++looked_;
  const std::lock_guard lock(all_.mutex_);
  return all_.slots_.take(number_);
}

void SessionSlots::Seat::give_back() {
  const std::lock_guard lock(all_.mutex_);
  all_.tell(all_.slots_.give_back());
}

void SessionSlots::Seat::look_again(const std::function<void()>& looks) {
  const std::size_t before = looked_;
  looks();
  if (looked_ == before) leave();
}

void SessionSlots::Seat::leave() {
  const std::lock_guard lock(all_.mutex_);
  all_.tell(all_.slots_.leave(number_));
}

}  // namespace deft
