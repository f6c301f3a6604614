#include "deft/agent/journal_entry.h"

namespace deft {

std::string JournalEntry::line(std::int64_t time_ms) const {
  std::string line = "{\"type\":\"" + type_ + "\",\"time_ms\":" + std::to_string(time_ms);
  line.reserve(line.size() + members().size() + 2);
  line += members();
  return line += "}\n";
}

}  // namespace deft
