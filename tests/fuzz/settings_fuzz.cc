// Settings files that strangers wrote: nothing crashes, and a file that cannot be used allows nothing.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "deft/base/check.h"
#include "deft/config/merged_settings.h"

namespace {

using namespace deft;

void check(std::string_view text) {
  const SettingsPlaces places{.directory = "/p", .home = "/home/me", .config_home = {}, .claude_home = {}};
  for (const SettingSource source : {SettingSource::managed, SettingSource::project, SettingSource::user}) {
    const LoadedFile file = load_settings_text({.source = source, .path = "/s.json", .root = "/p"}, text);
    DEFT_CHECK(!file.problem || file.rules.allow.empty());
    for (const bool trusted : {false, true}) {
      const auto merged = merge_settings({file}, places, trusted);
      if (!merged) continue;
      const Permissions permissions(merged->permissions);
      const Json input = JsonObject{{"command", "x"}};
      const Decision decision = permissions.decide({.tool = "Bash", .input = &input});
      if (file.problem) DEFT_CHECK(decision.verdict != Verdict::allow);
      const bool is_of_folder = source == SettingSource::project;
      if (is_of_folder && !trusted) DEFT_CHECK(decision.verdict != Verdict::allow);
      if (is_of_folder) DEFT_CHECK(permissions.mode() != Mode::bypass);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}
