#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace deft {

// How much a session does without asking.
enum class Mode : std::uint8_t { normal, accept_edits, plan, auto_, dont_ask, bypass };
std::string_view to_string(Mode mode);
// "default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions".
std::optional<Mode> parse_mode(std::string_view text);

// A change of it, as a value.
struct ModeChanged {
  enum class How : std::uint8_t { set, enter_plan, leave_plan } how = How::set;
  Mode mode = Mode::normal;  // of set
};

// The mode now, and the one to go back to when planning is over.
struct ModeMemory {
  Mode now = Mode::normal;
  // Of a subagent whose parent plans it is plan: it may have its plan approved, and goes on planning.
  std::optional<Mode> before_plan = std::nullopt;

  Mode after_plan() const { return before_plan.value_or(Mode::normal); }
  void apply(const ModeChanged& change);
};

}  // namespace deft
