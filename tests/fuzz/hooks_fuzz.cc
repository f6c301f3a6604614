// What a settings file says about hooks and what a hook answers, with a line "%" between the two texts. Nothing that
// goes wrong allows anything, and what is said about it is bounded.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "deft/base/check.h"
#include "deft/core/hook_answer.h"
#include "deft/core/hook_choice.h"
#include "deft/core/hook_config.h"
#include "deft/core/hook_fold.h"

namespace {

bool allows(const deft::HookAnswer& answer) {
  return answer.verdict == deft::HookVerdict::allow || (answer.permission && answer.permission->allow) ||
         answer.updated_input || answer.updated_output || answer.updated_mcp_output || answer.retry;
}

void answer(std::string_view text) {
  using deft::HookReport;
  for (const deft::HookEvent event : deft::all_hook_events()) {
    for (const int exit_code : {0, 1, 2}) {
      for (const bool strict : {false, true}) {
        const deft::HookAnswer said =
            deft::answer_of_program(event, {.exit_code = exit_code, .output = std::string(text)}, strict);
        DEFT_CHECK(said.end != HookReport::End::failed || !allows(said));
        DEFT_CHECK(said.end != HookReport::End::blocked || said.verdict != deft::HookVerdict::allow);
        DEFT_CHECK(exit_code != 2 || !allows(said));
        DEFT_CHECK(event != deft::HookEvent::pre_tool_use || exit_code != 2 || said.verdict == deft::HookVerdict::deny);
        DEFT_CHECK(said.error.size() <= 8 * deft::kHookErrorLineCharactersMax);
        deft::fold_hooks({{said, {}}, {said, {}}});
      }
    }
    static_cast<void>(deft::answer_of_http(event, 200, text, false));
    const auto of_model = deft::answer_of_model(event, text, false, true);
    DEFT_CHECK(!allows(of_model));
  }
  static_cast<void>(deft::asks_for_background(text));
  static_cast<void>(deft::background_time(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kBetween = "\n%\n";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t between = text.find(kBetween);
  if (between == std::string_view::npos) return 0;
  answer(text.substr(between + kBetween.size()));

  const auto json = deft::parse_json(text.substr(0, between));
  if (!json) return 0;
  deft::HookConfig config;
  deft::add_hooks(*json, deft::SettingSource::user, "user", config);
  deft::add_hooks(*json, deft::SettingSource::managed, "managed", config);
  const deft::ToolCall call{.id = "1", .name = "Bash", .input = *json, .input_text = {}, .invalid = {}};
  for (const deft::HookEvent event : deft::all_hook_events()) {
    DEFT_CHECK(config.of(event).size() <= 4 * deft::kHooksPerEventMax);
    for (const deft::Hook& hook : config.of(event)) {
      DEFT_CHECK(deft::timeout_of(hook, config) > deft::Duration::zero());
      DEFT_CHECK(deft::timeout_of(hook, config) <= deft::kHookTimeoutMax);
    }
    static_cast<void>(deft::choose_hooks(config, event, {.name = "Bash", .call = &call}));
  }
  return 0;
}
