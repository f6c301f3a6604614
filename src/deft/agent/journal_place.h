#pragma once

#include <cstddef>
#include <string_view>

#include "deft/base/json.h"

namespace deft {

// Which turn and which message of the model an entry belongs to, while a journal is read: both counted from 1. In turn
// 0 is what belongs to none: calls that somebody else's agent made (`deft exec`).
class JournalPlace {
 public:
  void take(std::string_view type, const Json& entry);  // every entry, before its place is asked for

  std::size_t turn() const { return turn_; }
  std::size_t message() const { return is_open_ ? messages_ : messages_ + 1; }  // of a call

 private:
  std::size_t turn_ = 0;
  std::size_t messages_ = 0;
  bool is_open_ = false;  // the last message has calls that are not answered yet
};

}  // namespace deft
