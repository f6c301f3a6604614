#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/session_state.h"

namespace deft {

// Instructions that people have written down for a kind of task: a skill (a folder with a SKILL.md) or a command (one
// Markdown file). The model is shown what it is for, and its text when it is used.
struct Skill {
  enum class Kind : std::uint8_t { skill, command };
  enum class Source : std::uint8_t { managed, user, project };  // the strongest first
  enum class Shell : std::uint8_t { bash, powershell };

  std::string name;  // what it is called by: "review", or "docs/api:review" where two have the same
  Kind kind = Kind::skill;
  Source source = Source::project;
  std::string path;      // its file; canonical
  std::string folder;    // that the file is in
  bool trusted = false;  // what it grants itself counts, and its commands are run

  std::string description = {};
  std::string when_to_use = {};
  std::string argument_hint = {};
  std::vector<std::string> arguments = {};  // names for the positional ones
  bool for_model = true;                    // the model may use it by itself
  bool for_user = true;                     // people may, by "/name"
  std::vector<std::string> allowed_tools = {};
  std::vector<std::string> disallowed_tools = {};
  std::string model = {};
  std::string effort = {};
  bool forks = false;  // its task is given to an agent of its own
  std::string agent = {};
  bool in_background = false;
  Json hooks = nullptr;
  std::vector<std::string> paths = {};  // globs: it is about such files, and shown when one of them was read
  Shell shell = Shell::bash;
  bool runs_commands = true;  // false: the settings forbid it

  std::string body = {};
};
std::string_view to_string(Skill::Kind kind);      // "skill", "command"
std::string_view to_string(Skill::Source source);  // "managed", "user", "project"

// What it asks for beyond being read: somebody has to agree. For people: "Bash(git add *)", "hooks".
std::vector<std::string> wants_of(const Skill& skill);

// What it grants and forbids until the turn ends. Of one that is not trusted only what it forbids. An error names a
// rule that cannot be used.
Result<TurnGrant> grant_of(const Skill& skill);

// For the model: one line for each of them, the whole within so many characters. If they do not fit, descriptions are
// cut, all to the same length; at last names are left out, and how many. The same skills give the same bytes.
inline constexpr std::size_t kSkillDescriptionCharactersMax = 1'536;
inline constexpr std::size_t kSkillListingCharactersMax = 16'000;
std::string skill_listing(const std::vector<Skill>& skills, std::size_t characters_max = kSkillListingCharactersMax);

}  // namespace deft
