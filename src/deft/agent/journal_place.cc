#include "deft/agent/journal_place.h"

namespace deft {

void JournalPlace::take(std::string_view type, const Json& entry) {
  if (type == "turn") ++turn_;
  if (type == "turn" || type == "prompt" || type == "results") is_open_ = false;
  if (type != "message") return;
  ++messages_;
  is_open_ = find_string(entry, "content").value_or("").find("\"tool_use\"") != std::string_view::npos;
}

}  // namespace deft
