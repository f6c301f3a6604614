#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/core/skill.h"
#include "deft/core/skill_text.h"
#include "deft/tools/tool.h"

namespace deft {

// The skills of a session, as whoever uses one needs them. Any thread may call.
class Skills {
 public:
  virtual ~Skills() = default;
  // Those that the model is told of from the start, by name: the same for the session's whole life.
  virtual std::vector<Skill> for_model() const = 0;
  // As it stands on the disk now, with its text. The error says which there are, or what is wrong with its file.
  virtual Result<Skill> find(std::string_view name) const = 0;
  // The same as it was when it was last looked at, without its text; as good as free.
  virtual std::optional<Skill> known(std::string_view name) const = 0;
  virtual std::vector<Skill> all() const = 0;  // that are known, by name
};

// For whoever only wants to know what the tool is.
std::shared_ptr<const Skills> no_skills();

// What the text of a skill may name of its session.
struct SkillScene {
  std::string session_id = {};
  std::string effort = {};
  std::string project = {};
};

// A skill, ready to be read by the model: everything is put in its place, its commands have run.
struct ReadySkill {
  std::string text;
  TurnGrant grant;
};
// Runs its commands by `call`, each through the gate, with what the skill allows beside `permissions`. The first that
// is not allowed or fails ends it: the error says which and why.
Result<ReadySkill> make_ready(const Skill& skill, const std::string& arguments, const SkillScene& scene,
                              const Permissions& permissions, const CallWithin& call);

// The same as it can be shown to somebody who only shall know it: without arguments, its commands as they are written.
Result<std::string> plain_text_of(const Skill& skill, const SkillScene& scene);

// Gives a task to an agent of its own and waits for what comes of it.
struct SkillTask {
  std::string skill;
  std::string prompt;
  std::string agent_type;  // empty: the usual one
  std::string model;       // empty: as before
  bool in_background = false;
  TurnGrant grant;  // for that agent alone
};
using RunSkillAgent = std::function<Result<ToolResult>(const SkillTask& task, ToolIo& io)>;
// Hooks of a skill come into force; the error says what is wrong with them.
using UseSkillHooks = std::function<Result<void>(const Skill& skill)>;

struct SkillToolOptions {
  std::shared_ptr<const Skills> skills = nullptr;  // nothing: there are none
  std::function<SkillScene()> scene = nullptr;
  RunSkillAgent run_agent = nullptr;  // nothing: `context: fork` is done here, in this conversation
  UseSkillHooks use_hooks = nullptr;  // nothing: a skill with hooks is refused
  std::size_t listing_characters_max = kSkillListingCharactersMax;
};
// The model uses a skill: its text follows the result.
std::shared_ptr<Tool> make_skill_tool(SkillToolOptions options = {});

}  // namespace deft
