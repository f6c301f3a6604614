// A skill's file and the arguments that it is called with, with a line "%" between the two. No argument becomes a
// command, and what comes out is bounded.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/check.h"
#include "deft/config/skill_file.h"
#include "deft/core/skill.h"
#include "deft/core/skill_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kBetween = "\n%\n";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t between = std::min(text.find(kBetween), text.size());
  const std::string arguments(text.substr(std::min(between + kBetween.size(), text.size())));
  std::vector<std::string> notes;
  const auto skill = deft::read_skill({.name = "x", .path = "/x"}, text.substr(0, between), notes);
  if (!skill) return 0;
  static_cast<void>(deft::grant_of(*skill));
  DEFT_CHECK(deft::skill_listing({*skill}, 200).size() <= 4 * 200 + 4);
  const auto pieces = deft::expand_skill_text(
      skill->body, {.arguments = arguments, .names = skill->arguments, .variables = {{"DEFT_SKILL_DIR", "/x"}}});
  const auto bare = deft::expand_skill_text(skill->body, {.names = skill->arguments});
  if (!pieces || !bare) return 0;
  const auto commands = [](const std::vector<deft::SkillPiece>& all) {
    return std::ranges::count_if(all, &deft::SkillPiece::is_command);
  };
  DEFT_CHECK(commands(*pieces) == commands(*bare));
  DEFT_CHECK(static_cast<std::size_t>(commands(*pieces)) <= deft::kSkillCommandsMax);
  return 0;
}
