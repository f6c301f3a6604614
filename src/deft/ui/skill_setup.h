#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deft/agent/engine.h"
#include "deft/agent/skill_shelf.h"
#include "deft/agent/user_hooks.h"
#include "deft/tools/read.h"
#include "deft/ui/session_settings.h"

namespace deft {

struct SkillSetupRequest {
  std::string directory;  // canonical; where the session starts
  bool trusted = false;
  WantedSources wanted = {};
  std::function<std::string(const std::string& model)> model_named = nullptr;  // see SkillRequest
  std::string effort = {};
  ToolSettings settings = {};  // see SkillRequest
};

// The skills of a session, found once at its start, with all that they need. `engine` and `hooks` outlive it and what
// is made with it.
class SkillSetup {
 public:
  SkillSetup(SkillSetupRequest request, Engine& engine, UserHooks& hooks);

  const std::shared_ptr<SkillShelf>& shelf() const { return shelf_; }
  SkillScene scene() const;
  // For the Skill tool and for prompts that call a skill.
  SkillToolOptions tool_options() const;
  UseSkillHooks use_hooks() const;
  // What an agent is told from the start whose type names these skills. "": nothing.
  std::string told_from_start(const std::vector<std::string>& names) const;
  // Why it is not told one of them, for people; nothing: it is.
  std::optional<std::string> not_told(const std::string& name) const;
  // For the Read tool: what `earlier` has to say, and the skills that are about the file.
  AfterReading after_reading(AfterReading earlier) const;

 private:
  SkillSetupRequest request_;
  Engine& engine_;
  UserHooks& hooks_;
  std::shared_ptr<SkillShelf> shelf_;
};

}  // namespace deft
