#include "deft/ui/bypass.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace deft {
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value && std::string_view(value) == "1";
}

}  // namespace

BypassGround bypass_ground(bool on_command_line) {
  return {.is_root = ::geteuid() == 0,
          .is_accepted = on_command_line || is_set("DEFT_ALLOW_ROOT_BYPASS") || is_set("IS_SANDBOX")};
}

Result<std::optional<std::string>> check_bypass(PermissionSetup& permissions, const BypassGround& ground) {
  if (permissions.mode != Mode::bypass) return std::nullopt;
  if (permissions.bypass_forbidden) {
    permissions.mode = Mode::normal;
    return "the settings forbid bypassPermissions; the mode is default";
  }
  if (ground.is_root && !ground.is_accepted) {
    return fail(Errc::denied,
                "bypassPermissions as root could destroy the whole machine. In a container or virtual machine that may "
                "be lost, say --permission-mode bypassPermissions, or set DEFT_ALLOW_ROOT_BYPASS=1");
  }
  return std::nullopt;
}

}  // namespace deft
