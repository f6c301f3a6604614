#include "deft/core/skill.h"

#include <algorithm>

#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kShortestDescriptionCharacters = 20;

std::string described(const Skill& skill) {
  std::string text = skill.description;
  if (!skill.when_to_use.empty()) text += (text.empty() ? "" : " ") + skill.when_to_use;
  return one_line(text, kSkillDescriptionCharactersMax);
}

std::string line_of(const Skill& skill, std::size_t description_max) {
  const std::string text = description_max == 0 ? "" : one_line(described(skill), description_max);
  return "- " + skill.name + (text.empty() ? "" : ": " + text) + "\n";
}

std::string lines_of(const std::vector<Skill>& skills, std::size_t description_max) {
  std::string lines;
  for (const Skill& skill : skills) lines += line_of(skill, description_max);
  return lines;
}

}  // namespace

std::string_view to_string(Skill::Kind kind) { return kind == Skill::Kind::skill ? "skill" : "command"; }

std::string_view to_string(Skill::Source source) {
  switch (source) {
    case Skill::Source::managed: return "managed";
    case Skill::Source::user: return "user";
    case Skill::Source::project: return "project";
  }
  return "project";
}

std::vector<std::string> wants_of(const Skill& skill) {
  std::vector<std::string> wants = skill.allowed_tools;
  if (!skill.hooks.is_null()) wants.emplace_back("hooks");
  return wants;
}

Result<TurnGrant> grant_of(const Skill& skill) {
  TurnGrant grant{.origin = "the " + std::string(to_string(skill.kind)) + " " + skill.name};
  const auto add = [&](RuleList list, const std::vector<std::string>& rules) -> Result<void> {
    for (const std::string& text : rules) {
      auto rule = parse_rule(text);
      if (!rule) return fail(rule.error().code, skill.path + ": " + rule.error().message);
      grant.rules.of(list).push_back(*std::move(rule));
    }
    return {};
  };
  if (auto added = add(RuleList::deny, skill.disallowed_tools); !added) return std::unexpected(added.error());
  if (!skill.trusted) return grant;
  if (auto added = add(RuleList::allow, skill.allowed_tools); !added) return std::unexpected(added.error());
  if (skill.model != "inherit") grant.model = skill.model;
  grant.effort = skill.effort;
  return grant;
}

std::string skill_listing(const std::vector<Skill>& skills, std::size_t characters_max) {
  const auto fits = [&](std::size_t description_max) {
    return count_characters(lines_of(skills, description_max)) <= characters_max;
  };
  if (fits(kSkillDescriptionCharactersMax)) return lines_of(skills, kSkillDescriptionCharactersMax);
  std::size_t longest = 0;  // that fits
  std::size_t too_long = kSkillDescriptionCharactersMax;
  while (longest + 1 < too_long) {
    const std::size_t middle = longest + (too_long - longest) / 2;
    (fits(middle) ? longest : too_long) = middle;
  }
  if (longest >= kShortestDescriptionCharacters) return lines_of(skills, longest);
  std::string lines;
  std::size_t used = 0;
  for (std::size_t i = 0; i < skills.size(); ++i) {
    const std::string line = line_of(skills[i], 0);
    const std::string rest = "(" + std::to_string(skills.size() - i) + " more are not listed)\n";
    used += count_characters(line);
    if (used + rest.size() > characters_max) return lines + rest;
    lines += line;
  }
  return lines;
}

}  // namespace deft
