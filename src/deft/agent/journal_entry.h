#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/json.h"

namespace deft {

// One line of a journal while it is being written: texts go straight into it, however large they are.
class JournalEntry {
 public:
  explicit JournalEntry(std::string_view type) : type_(type) {}

  JournalEntry& text(std::string_view key, std::string_view value);
  JournalEntry& number(std::string_view key, std::int64_t value);
  JournalEntry& flag(std::string_view key, bool value);
  JournalEntry& json(std::string_view key, const Json& value);

  // With its newline.
  std::string line(std::int64_t time_ms) const;

 private:
  void begin(std::string_view key);

  std::string type_;
  std::string members_;
};

}  // namespace deft
