#include "deft/agent/journal_entry.h"

namespace deft {

void JournalEntry::begin(std::string_view key) {
  members_ += ',';
  append_json_string(members_, key);
  members_ += ':';
}

JournalEntry& JournalEntry::text(std::string_view key, std::string_view value) {
  begin(key);
  append_json_string(members_, value);
  return *this;
}

JournalEntry& JournalEntry::number(std::string_view key, std::int64_t value) {
  begin(key);
  members_ += std::to_string(value);
  return *this;
}

JournalEntry& JournalEntry::flag(std::string_view key, bool value) {
  begin(key);
  members_ += value ? "true" : "false";
  return *this;
}

JournalEntry& JournalEntry::json(std::string_view key, const Json& value) {
  begin(key);
  members_ += to_json(value);
  return *this;
}

std::string JournalEntry::line(std::int64_t time_ms) const {
  std::string line = "{\"type\":";
  append_json_string(line, type_);
  line += ",\"time_ms\":" + std::to_string(time_ms);
  line.reserve(line.size() + members_.size() + 2);
  line += members_;
  return line += "}\n";
}

}  // namespace deft
