#include "deft/agent/journal_entry.h"

namespace deft {

std::string JournalEntry::line(std::int64_t time_ms) const {
  std::string line;
  line.reserve(type_.size() + members().size() + 50);
  line += "{\"type\":\"";
  line += type_;
  line += "\",\"time_ms\":";
  append_json_integer(line, time_ms);
  line += members();
  return line += "}\n";
}

}  // namespace deft
