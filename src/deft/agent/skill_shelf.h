#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/glob.h"
#include "deft/config/settings_files.h"
#include "deft/config/skill_file.h"
#include "deft/config/tool_settings.h"
#include "deft/os/files.h"
#include "deft/tools/skill.h"

namespace deft {

inline constexpr std::size_t kSkillsMax = 1'000;
inline constexpr std::size_t kSkillFolderNamesMax = 5'000;
inline constexpr std::size_t kCommandFolderDepthMax = 4;
inline constexpr std::size_t kSkillProblemsMax = 50;

struct SkillRequest {
  SettingsPlaces places;       // `directory` is where the session works; canonical
  bool trusted = false;        // the user has trusted that directory
  WantedSources sources = {};  // of user and project
  // What a model is called that is given by a short name, "opus"; nothing: as it is.
  std::function<std::string(const std::string& model)> model_named = nullptr;
  ToolSettings settings = {};  // who may use which, and whether their commands are run
  // Whether the model may be shown a file at all; nothing: it may.
  std::function<bool(const std::string& path)> may_read = nullptr;
};

// The skills and commands of one session. Of several with one name a skill counts before a command, then the machine's
// before the user's before the project's, then the nearest folder's, then deft's own place before the other:
//   machine  /etc/deft/skills/NAME/SKILL.md, /etc/claude-code/.claude/skills/NAME/SKILL.md, and commands/ beside
//   skills/ user     ~/.config/deft/skills, ~/.claude/skills project  .deft/skills, .claude/skills in every folder from
//   the session's own up to the repository's
// A command is commands/NAME.md, in a folder of its own commands/DIR/NAME.md, called by "DIR:NAME". Skills of folders
// below the session's, and those that are about certain files, are shown to the model when such a file was read; if
// their name is taken already, by the folder: "DIR:NAME".
//
// What a project brings along is a stranger's until the user has trusted it: such a skill is a text to be read, and
// grants itself nothing. What is broken is left out and named in problems().
class SkillShelf final : public Skills {
 public:
  SkillShelf(SkillRequest request, Files& files);

  std::vector<Skill> for_model() const override;
  Result<Skill> find(std::string_view name) const override;
  std::optional<Skill> known(std::string_view name) const override;
  std::vector<Skill> all() const override;
  std::vector<std::string> problems() const;

  // The model has these alone, from the start and later; people call any. Before the model was told of them.
  void offer_only(const std::vector<std::string>& names);
  bool offers(const std::string& name) const;

  // Finds what was written since. What the model is told from the start stays as it was.
  void look_again();

  // What the model should be told of because the session has read this file; each once.
  std::vector<Skill> after_reading(const std::string& path);

 private:
  struct Entry {
    Skill skill;              // without its text
    std::vector<Glob> globs;  // of the files that it is about
    std::string root;         // what they are seen from
    bool is_shown = false;    // to the model
  };
  struct Place {
    std::string folder;  // in which skills/ and commands/ are
    Skill::Source source = Skill::Source::project;
    std::string root = {};    // the folder of the project that it belongs to; "": none
    std::string prefix = {};  // of a name that is taken: "docs/api:"
  };

  void look_everywhere();
  void look_in(const Place& place);
  void look_for_skills(const Place& place);
  void look_for_commands(const Place& place, const std::string& in, const std::string& prefix, std::size_t depth);
  void add(const Place& place, Skill::Kind kind, const std::string& name, const std::string& path);
  Result<std::string> read(const std::string& path, const std::string& root, std::string& canonical) const;
  Result<Skill> load(const SkillPlace& place, const std::string& root) const;
  ToolSettings::SkillUse use_of(const std::string& name) const;
  void apply_settings(Skill& skill) const;
  void note(std::string problem) const;
  Result<Skill> look_up(std::string_view name) const;

  SkillRequest request_;
  Files& disk_;
  mutable std::mutex mutex_;
  // Under mutex_, once the constructor has ended:
  std::vector<Skill> at_start_;
  std::optional<std::set<std::string>> chosen_;  // nothing: all are offered
  std::map<std::string, Entry> by_name_;
  std::set<std::string> folders_;  // that were looked into
  mutable std::vector<std::string> problems_;
};

// What the model is told of skills that it has not seen before. "" if there are none.
std::string new_skills_text(const std::vector<Skill>& skills);

}  // namespace deft
