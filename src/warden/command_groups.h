#pragma once

#include <cstddef>
#include <cstdint>

#include "warden/own_cgroup.h"

// A cgroup for each command that runs, where the system lets us make them: one write ends all that is in it, whatever
// forks meanwhile, and however little of the processor is left for us. Orphans and their supervisor stay the check:
// who may make groups may also leave them. As with folders, an empty group is used again.

namespace warden {

inline constexpr std::size_t kGroupPathBytesMax = kCgroupPathBytesMax + 48;

class CommandGroups {
 public:
  // An open group for a new command, and its number; -1: there are none here.
  int take(std::uint32_t& number);
  void give_back(std::uint32_t number);  // one that is empty
  void remove(std::uint32_t number);     // one that was killed, if it is empty
  void prepare();                        // for the first that takes one
  void kill_all() const;
  void remove_all();
  const char* own() const { return own_; }  // empty: none

 private:
  void make_own();
  void path_of(std::uint32_t number, char (&path)[kGroupPathBytesMax]) const;

  static constexpr std::size_t kFreeMax = 256;
  bool is_tried_ = false;
  char own_[kGroupPathBytesMax] = {};
  std::uint32_t made_count_ = 0;
  std::uint32_t free_[kFreeMax];
  std::size_t free_count_ = 0;
};

// Ends all that is in the open group and below it. False: it can't be done this way.
bool kill_group(int group);

}  // namespace warden
