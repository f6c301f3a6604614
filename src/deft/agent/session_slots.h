#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "deft/core/fair_slots.h"
#include "deft/core/scheduler.h"

namespace deft {

inline constexpr std::size_t kSlotsDefault = 10;

// How many calls may work at once in a session, whichever of its agents made them. Each agent has a seat; one that
// found no slot free is told when it may look again. Any thread.
class SessionSlots {
 public:
  explicit SessionSlots(std::size_t slots_max) : slots_(slots_max) {}

  // Used on its agent's thread, gone before the slots are.
  class Seat final : public Slots {
   public:
    ~Seat() override;
    bool take() override;
    void give_back() override;
    // The agent was told that it may look again, and has: `looks` does it. If it wants none any more, others are told.
    void look_again(const std::function<void()>& looks);
    void leave();  // it waits for none

   private:
    friend class SessionSlots;
    Seat(SessionSlots& all, FairSlots::Member number) : Slots(0), all_(all), number_(number) {}

    SessionSlots& all_;
    const FairSlots::Member number_;
    std::size_t looked_ = 0;  // how often it asked for one
  };
  // `tell` comes from any thread, and returns at once.
  std::unique_ptr<Seat> join(std::function<void()> tell);

 private:
  void tell(const std::vector<FairSlots::Member>& members);  // under mutex_

  std::mutex mutex_;
  // Under mutex_:
  FairSlots slots_;
  std::map<FairSlots::Member, std::function<void()>> seats_;
  FairSlots::Member last_ = 0;
};

}  // namespace deft
