#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/json_members.h"

namespace deft {

// One line of a journal while it is being written.
class JournalEntry : public JsonMembers<JournalEntry> {
 public:
  explicit JournalEntry(std::string_view type) : type_(type) {}

  // With its newline.
  std::string line(std::int64_t time_ms) const;

 private:
  std::string type_;
};

}  // namespace deft
