#include "deft/ui/skill_setup.h"

#include <utility>

#include "deft/base/closing_tag.h"
#include "deft/base/json.h"
#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/config/settings_files.h"

namespace deft {
namespace {

SettingSource source_of(Skill::Source source) {
  switch (source) {
    case Skill::Source::managed: return SettingSource::managed;
    case Skill::Source::user: return SettingSource::user;
    case Skill::Source::project: return SettingSource::project;
  }
  return SettingSource::project;
}

}  // namespace

SkillSetup::SkillSetup(SkillSetupRequest request, Engine& engine, UserHooks& hooks)
    : request_(std::move(request)), engine_(engine), hooks_(hooks) {
  shelf_ = std::make_shared<SkillShelf>(
      SkillRequest{.places = settings_places(request_.directory),
                   .trusted = request_.trusted,
                   .sources = request_.wanted,
                   .model_named = request_.model_named,
                   .settings = request_.settings,
                   .may_read = [&engine](const std::string& path) { return !engine.permissions()->hides(path); }},
      engine.workshop().os().files);
}

SkillScene SkillSetup::scene() const {
  return {.session_id = std::string(file_name(engine_.session_folder())),
          .effort = request_.effort,
          .project = request_.directory};
}

SkillToolOptions SkillSetup::tool_options() const {
  return {.skills = shelf_, .scene = [scene = scene()] { return scene; }, .use_hooks = use_hooks()};
}

AfterReading SkillSetup::after_reading(AfterReading earlier) const {
  return [shelf = shelf_, earlier = std::move(earlier)](const std::string& path) {
    std::vector<std::string> texts = earlier ? earlier(path) : std::vector<std::string>();
    std::string text = new_skills_text(shelf->after_reading(path));
    if (!text.empty()) texts.push_back(std::move(text));
    return texts;
  };
}

std::string SkillSetup::told_from_start(const std::vector<std::string>& names) const {
  std::string text;
  for (const std::string& name : names) {
    const auto skill = not_told(name) ? fail(Errc::not_found, "") : shelf_->find(name);
    auto body = skill ? plain_text_of(*skill, scene()) : std::unexpected(skill.error());
    if (!body) continue;
    text += "\n<skill name=" + json_quote(skill->name) + " folder=" + json_quote(skill->folder) + ">\n" +
            without_closing_tag(*body, "skill") + (body->ends_with('\n') ? "" : "\n") + "</skill>\n";
  }
  return text.empty()
             ? text
             : "\n\n# Skills that you know\nWhere one of them fits what is to be done, do what it says.\n" + text;
}

std::optional<std::string> SkillSetup::not_told(const std::string& name) const {
  const auto skill = shelf_->known(name);
  if (!skill) return "there is no skill " + json_quote(one_line(name, 100));
  if (!skill->for_model) return "the skill " + skill->name + " is only for the user";
  return std::nullopt;
}

UseSkillHooks SkillSetup::use_hooks() const {
  return [&hooks = hooks_](const Skill& skill) {
    return hooks.add_beside(skill.hooks, source_of(skill.source), skill.path);
  };
}

}  // namespace deft
