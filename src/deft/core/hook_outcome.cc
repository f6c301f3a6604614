#include "deft/core/hook_outcome.h"

namespace deft {

std::string_view to_string(HookVerdict verdict) {
  switch (verdict) {
    case HookVerdict::allow: return "allow";
    case HookVerdict::ask: return "ask";
    case HookVerdict::defer: return "defer";
    case HookVerdict::deny: return "deny";
  }
  return "deny";
}

std::string_view to_string(HookReport::End end) {
  switch (end) {
    case HookReport::End::fine: return "fine";
    case HookReport::End::blocked: return "blocked";
    case HookReport::End::failed: return "failed";
    case HookReport::End::cancelled: return "cancelled";
    case HookReport::End::in_background: return "in_background";
  }
  return "failed";
}

}  // namespace deft
