#include "deft/core/mode.h"

#include <algorithm>
#include <array>
#include <utility>

namespace deft {
namespace {

constexpr std::array<std::pair<std::string_view, Mode>, 7> kModes = {{{"default", Mode::normal},
                                                                      {"manual", Mode::normal},
                                                                      {"acceptEdits", Mode::accept_edits},
                                                                      {"plan", Mode::plan},
                                                                      {"auto", Mode::auto_},
                                                                      {"dontAsk", Mode::dont_ask},
                                                                      {"bypassPermissions", Mode::bypass}}};

}  // namespace

std::string_view to_string(Mode mode) {
  return std::ranges::find(kModes, mode, [](const auto& entry) { return entry.second; })->first;
}

std::optional<Mode> parse_mode(std::string_view text) {
  const auto* found = std::ranges::find(kModes, text, [](const auto& entry) { return entry.first; });
  if (found == kModes.end()) return std::nullopt;
  return found->second;
}

void ModeMemory::apply(const ModeChanged& change) {
  const bool plans =
      change.how == ModeChanged::How::enter_plan || (change.how == ModeChanged::How::set && change.mode == Mode::plan);
  if (plans) {
    if (now != Mode::plan) before_plan = now;
    now = Mode::plan;
  } else if (change.how == ModeChanged::How::leave_plan) {
    if (now == Mode::plan) now = after_plan();
    if (now != Mode::plan) before_plan.reset();
  } else {
    now = change.mode;
    before_plan.reset();
  }
}

}  // namespace deft
