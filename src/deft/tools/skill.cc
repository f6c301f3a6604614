#include "deft/tools/skill.h"

#include <mutex>
#include <utility>

#include "deft/base/text.h"
#include "deft/core/mentioned_files.h"
#include "deft/core/session_permissions.h"

namespace deft {
namespace {

constexpr std::size_t kShownCommandCharactersMax = 200;
constexpr std::size_t kShownArgumentsCharactersMax = 60;

constexpr std::string_view kCommandsAreOff = "[shell command execution disabled by policy]";

constexpr std::string_view kDescription =
    "Uses a skill: instructions that people have written down for a kind of task. When one of those listed fits what "
    "is "
    "to be done, use it before you begin by yourself; its text then follows and says how. Also when the user asks for "
    "one by name or as \"/name\". Use only skills that are listed here or that you were told of since, and none that "
    "is "
    "already at work in this turn.";

std::vector<std::pair<std::string, std::string>> variables_of(const Skill& skill, const SkillScene& scene) {
  std::vector<std::pair<std::string, std::string>> variables;
  const auto add = [&](const std::string& name, const std::string& value) {
    variables.emplace_back("CLAUDE_" + name, value);
    variables.emplace_back("DEFT_" + name, value);
  };
  add("SESSION_ID", scene.session_id);
  add("EFFORT", skill.effort.empty() ? scene.effort : skill.effort);
  add("SKILL_DIR", skill.folder);
  add("PROJECT_DIR", scene.project);
  return variables;
}

std::string shown(const std::string& command) { return "`" + one_line(command, kShownCommandCharactersMax) + "`"; }

// What it printed; nothing at all is said as nothing.
std::string output_of(ToolResult result) {
  const auto output = find_string(result.details, "stdout");
  const auto errors = find_string(result.details, "stderr");
  const bool is_empty = output && output->empty() && (!errors || errors->empty()) && !result.stored;
  return is_empty ? "" : std::move(result.text);
}

std::string without_last_newline(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// The files that the text mentions follow it, as far as they are there and may be read without a question.
void add_files(const std::vector<std::string>& paths, const CallWithin& call, std::string& text) {
  for (const std::string& path : paths) {
    const ToolResult file = call("Read", JsonObject{{"file_path", path}}, nullptr);
    if (file.is_error() || !file.blocks.empty() || text.size() + file.text.size() > kSkillTextBytesMax) continue;
    text = without_last_newline(std::move(text)) + "\n\n<file path=" + json_quote(path) + ">\n" +
           without_last_newline(file.text) + "\n</file>\n";
  }
}

class SkillTool final : public Tool {
 public:
  explicit SkillTool(SkillToolOptions options) : options_(std::move(options)) {
    if (options_.skills) spec_.description = description();
  }

  const ToolSpec& spec() const override { return spec_; }
  // Which there are is settled when the model is first told: a host may choose before that.
  std::optional<SharedText> description_now(const SessionState&) const override {
    if (!options_.skills) return std::nullopt;
    std::call_once(told_, [this] { told_description_ = description(); });
    return told_description_;
  }
  std::optional<std::string> disabled() const override {
    if (options_.skills) return std::nullopt;
    return "skills are not read here";
  }
  bool makes_calls() const override { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override { return Footprint::everything(); }

  // Rules are about names: "/review" is "review" to them.
  std::optional<Json> completed(const Json& input, ToolIo&) const override {
    Json named = input;
    named.get_object()["skill"] = name_in(input);
    return named;
  }

  Result<void> validate(const Json& input, ToolIo&) const override {
    const auto skill = found(input);
    if (!skill) return std::unexpected(skill.error());
    if (!skill->for_model) {
      return fail(Errc::denied, skill->name + " is only for the user, who calls it by /" + skill->name + ".");
    }
    return {};
  }

  // Its text alone is harmless to read; for what it grants itself somebody has to agree, by a rule or by an answer. Its
  // commands are judged one by one.
  std::optional<OwnVerdict> check_permission(const Json& input, const SessionView&) const override {
    const auto skill = found(input);
    if (!skill) return OwnVerdict{Verdict::ask, "it cannot be read"};
    if (skill->trusted && !wants_of(*skill).empty()) return std::nullopt;
    return OwnVerdict{Verdict::allow, "it is a text to be read"};
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    auto skill = found(input);
    if (!skill) return std::unexpected(skill.error());
    const std::string arguments(find_string(input, "args").value_or(""));
    if (!io.permissions || !io.call) return fail(Errc::unsupported, "skills cannot be used here");
    const SkillScene scene = options_.scene ? options_.scene() : SkillScene{};
    auto ready = make_ready(*skill, arguments, scene, *io.permissions, io.call);
    if (!ready) return std::unexpected(ready.error());
    if (skill->trusted && !skill->hooks.is_null()) {
      if (!options_.use_hooks) return fail(Errc::unsupported, skill->name + " has hooks, which cannot be used here");
      if (auto used = options_.use_hooks(*skill); !used) return std::unexpected(used.error());
    }
    if (skill->forks && options_.run_agent) {
      return options_.run_agent({.skill = skill->name,
                                 .prompt = std::move(ready->text),
                                 .agent_type = skill->agent,
                                 .model = ready->grant.model,
                                 .in_background = skill->in_background,
                                 .grant = ready->grant},
                                io);
    }
    ToolResult result{.text = "The skill " + skill->name + " is at work; its text follows. Do what it says.",
                      .details = JsonObject{{"success", true}, {"commandName", skill->name}}};
    if (!skill->allowed_tools.empty()) {
      JsonArray allowed(skill->allowed_tools.begin(), skill->allowed_tools.end());
      result.details.get_object()["allowedTools"] = std::move(allowed);
    }
    result.new_messages.push_back(
        JsonObject{{"type", "text"},
                   {"text", "<skill name=" + json_quote(skill->name) + " folder=" + json_quote(skill->folder) + ">\n" +
                                without_last_newline(std::move(ready->text)) + "\n</skill>"}});
    result.modifiers.emplace_back(std::move(ready->grant));
    return result;
  }

  std::string render_use(const Json& input) const override {
    const auto arguments = find_string(input, "args").value_or("");
    return "Skill(" + name_in(input) +
           (arguments.empty() ? "" : " " + one_line(arguments, kShownArgumentsCharactersMax)) + ")";
  }

 private:
  std::string description() const {
    const std::string listing = skill_listing(options_.skills->for_model(), options_.listing_characters_max);
    return std::string(kDescription) + (listing.empty() ? "" : "\n\nSkills:\n" + listing);
  }
  static std::string name_in(const Json& input) {
    std::string_view name = find_string(input, "skill").value_or("");
    while (name.starts_with('/')) name.remove_prefix(1);
    return std::string(name);
  }
  Result<Skill> found(const Json& input) const {
    if (!options_.skills) return fail(Errc::not_found, "there are no skills here");
    return options_.skills->find(name_in(input));
  }

  SkillToolOptions options_;
  ToolSpec spec_{
      .name = "Skill",
      .description = std::string(kDescription),
      .input_schema =
          JsonObject{{"type", "object"},
                     {"properties",
                      {{"skill", {{"type", "string"}, {"minLength", 1}, {"description", "Its name, as listed."}}},
                       {"args", {{"type", "string"}, {"description", "What it is to be used on, if it takes that."}}}}},
                     {"required", {"skill"}},
                     {"additionalProperties", false}},
      .search_hint = "instructions slash command workflow",
      .always_load = true};
  mutable std::once_flag told_;
  mutable SharedText told_description_;
};

class NoSkills final : public Skills {
 public:
  std::vector<Skill> for_model() const override { return {}; }
  Result<Skill> find(std::string_view) const override { return fail(Errc::not_found, "There are no skills here."); }
  std::optional<Skill> known(std::string_view) const override { return std::nullopt; }
  std::vector<Skill> all() const override { return {}; }
};

}  // namespace

std::shared_ptr<const Skills> no_skills() { return std::make_shared<NoSkills>(); }

Result<ReadySkill> make_ready(const Skill& skill, const std::string& arguments, const SkillScene& scene,
                              const Permissions& permissions, const CallWithin& call) {
  auto grant = grant_of(skill);
  if (!grant) return std::unexpected(grant.error());
  const auto pieces = expand_skill_text(
      skill.body, {.arguments = arguments, .names = skill.arguments, .variables = variables_of(skill, scene)});
  if (!pieces) return fail(pieces.error().code, skill.name + " cannot be used: " + pieces.error().message);
  ReadySkill ready{.text = {}, .grant = *std::move(grant)};
  std::shared_ptr<const Permissions> granted;
  std::string said;  // without what commands print: a file that they name is not meant
  for (const SkillPiece& piece : *pieces) {
    if (!piece.is_command) {
      ready.text += piece.text;
      said += piece.text;
      continue;
    }
    if (!skill.runs_commands) {
      ready.text += kCommandsAreOff;
      continue;
    }
    if (!skill.trusted) {
      return fail(Errc::denied, skill.name +
                                    " has commands to run, and this folder is not trusted (deft trust). Do what " +
                                    skill.path + " says step by step instead.");
    }
    if (!granted) {
      granted = std::make_shared<const Permissions>(with_turn_grant(permissions.setup(), ready.grant));
    }
    const std::string_view tool = skill.shell == Skill::Shell::powershell ? "PowerShell" : "Bash";
    ToolResult result =
        call(tool, JsonObject{{"command", piece.text}, {"description", "Run by the skill " + skill.name}}, granted);
    if (result.is_error()) {
      return fail(*result.error == Errc::cancelled ? Errc::cancelled : Errc::failed,
                  skill.name + " was not used, because its command " + shown(piece.text) +
                      (*result.error == Errc::denied ? " is not allowed: " : " failed: ") + result.text);
    }
    ready.text += without_last_newline(output_of(std::move(result)));
    if (ready.text.size() > kSkillTextBytesMax) {
      return fail(Errc::limit, skill.name + " was not used: what its commands print is longer than " +
                                   human_bytes(kSkillTextBytesMax));
    }
  }
  add_files(mentioned_files(said), call, ready.text);
  return ready;
}

Result<std::string> plain_text_of(const Skill& skill, const SkillScene& scene) {
  const auto pieces = expand_skill_text(
      skill.body, {.arguments = {}, .names = skill.arguments, .variables = variables_of(skill, scene)});
  if (!pieces) return fail(pieces.error().code, skill.name + " cannot be used: " + pieces.error().message);
  std::string text;
  for (const SkillPiece& piece : *pieces) text += piece.is_command ? "`" + piece.text + "`" : piece.text;
  return text;
}

std::shared_ptr<Tool> make_skill_tool(SkillToolOptions options) {
  return std::make_shared<SkillTool>(std::move(options));
}

}  // namespace deft
