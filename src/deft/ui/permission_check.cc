#include "deft/ui/permission_check.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "deft/agent/permission_ground.h"
#include "deft/base/path.h"
#include "deft/core/apply_patch.h"

namespace deft {
namespace {

enum class Nature : std::uint8_t { session, reads_nothing, reads, network, person };
constexpr std::array<std::pair<std::string_view, Nature>, 27> kNatures = {{{"TodoWrite", Nature::session},
                                                                           {"TaskCreate", Nature::session},
                                                                           {"TaskGet", Nature::session},
                                                                           {"TaskList", Nature::session},
                                                                           {"TaskUpdate", Nature::session},
                                                                           {"TaskStop", Nature::session},
                                                                           {"TaskOutput", Nature::session},
                                                                           {"EnterPlanMode", Nature::session},
                                                                           {"ToolSearch", Nature::session},
                                                                           {"Sleep", Nature::session},
                                                                           {"SendMessage", Nature::session},
                                                                           {"TeamCreate", Nature::session},
                                                                           {"TeamDelete", Nature::session},
                                                                           {"StructuredOutput", Nature::session},
                                                                           {"Agent", Nature::reads_nothing},
                                                                           {"AskUserQuestion", Nature::person},
                                                                           {"ExitPlanMode", Nature::person},
                                                                           {"Read", Nature::reads},
                                                                           {"Grep", Nature::reads},
                                                                           {"Glob", Nature::reads},
                                                                           {"LSP", Nature::reads},
                                                                           {"LS", Nature::reads},
                                                                           {"NotebookRead", Nature::reads},
                                                                           {"WebFetch", Nature::network},
                                                                           {"WebSearch", Nature::network},
                                                                           {"CronList", Nature::session},
                                                                           {"ScheduleWakeup", Nature::session}}};

// A line that was understood.
struct CheckLine {
  Json id;
  PermissionSetup setup;
  PermissionQuestion question;
  Json input = JsonObject{};
  bool needs_person = false;            // its annotations say that somebody must be asked
  std::optional<Verdict> request_hook;  // what a PermissionRequest hook answers for the person
};

Result<Mode> mode_of(const Json& line, std::optional<Mode> otherwise) {
  const Json* mode = find(line, "mode");
  if (!mode || mode->is_null()) return otherwise.value_or(Mode::normal);
  const auto parsed = mode->is_string() ? parse_mode(view(mode->get_string())) : std::nullopt;
  if (!parsed) return fail(Errc::invalid_input, "\"mode\" is no mode: " + to_json(*mode).substr(0, 100));
  return *parsed;
}

Result<bool> flag_of(const Json& object, std::string_view key, bool otherwise) {
  const Json* value = find(object, key);
  if (!value || value->is_null()) return otherwise;
  if (!value->is_bool()) return fail(Errc::invalid_input, json_quote(key) + " must be true or false");
  return value->get_bool();
}

Result<std::vector<std::string>> paths_of(const Json& object, std::string_view key) {
  std::vector<std::string> paths;
  const Json* value = find(object, key);
  if (!value || value->is_null()) return paths;
  if (!value->is_array()) return fail(Errc::invalid_input, json_quote(key) + " must be a list of paths");
  for (const Json& path : value->get_array()) {
    if (!path.is_string()) return fail(Errc::invalid_input, json_quote(key) + " must be a list of paths");
    paths.emplace_back(view(path.get_string()));
  }
  return paths;
}

bool is_disabled(const Json& object, std::string_view key) {
  const Json* value = find(object, key);
  if (!value || value->is_null()) return false;
  return !(value->is_bool() && !value->get_bool());  // in doubt it is
}
bool is_switched_on(const Json& object, const Json& inner, std::string_view key) {
  return is_disabled(object, key) || is_disabled(inner, key);
}

// Relative to the working directory; "~" is the home.
std::string placed(const std::string& path, const PermissionSetup& setup) {
  if (path == "~" || path.starts_with("~/")) return absolute_path(setup.home + path.substr(1), "/");
  return absolute_path(path, setup.directory);
}

Result<void> add_source(const Json& settings, SettingSource source, CheckLine& out, std::optional<Mode>& mode) {
  if (!settings.is_object()) return fail(Errc::invalid_input, "settings must be an object");
  const Json* inner = find(settings, "permissions");
  const Json& permissions = inner ? *inner : settings;
  if (!permissions.is_object()) return fail(Errc::invalid_input, "permissions must be an object");
  auto rules = parse_permission_rules(permissions);
  if (!rules) return std::unexpected(rules.error());
  PermissionSetup& setup = out.setup;
  const bool is_of_folder = source == SettingSource::project || source == SettingSource::local;
  if (const Json* given = find(permissions, "defaultMode"); given && !given->is_null()) {
    const auto parsed = given->is_string() ? parse_mode(view(given->get_string())) : std::nullopt;
    if (!parsed) return fail(Errc::invalid_input, "permissions.defaultMode is no mode");
    // A repository does not choose how much is allowed in it.
    const bool is_wide = *parsed == Mode::bypass || *parsed == Mode::auto_ || *parsed == Mode::accept_edits;
    if (!mode && !(is_of_folder && is_wide)) mode = parsed;
  }
  auto directories = paths_of(permissions, "additionalDirectories");
  if (!directories) return std::unexpected(directories.error());
  if (setup.trusted || !is_of_folder) {
    for (const std::string& path : *directories) setup.directories.push_back(placed(path, setup));
  }
  setup.bypass_forbidden =
      setup.bypass_forbidden || is_switched_on(settings, permissions, "disableBypassPermissionsMode");
  setup.auto_forbidden = setup.auto_forbidden || is_switched_on(settings, permissions, "disableAutoMode");
  if (source == SettingSource::managed) {
    setup.only_managed_rules = is_switched_on(settings, permissions, "allowManagedPermissionRulesOnly");
  }
  setup.block_reads_outside =
      setup.block_reads_outside || is_switched_on(settings, permissions, "blockReadsOutsideWorkingDirectories");
  setup.block_writes_outside =
      setup.block_writes_outside || is_switched_on(settings, permissions, "blockWritesOutsideWorkingDirectories");
  if (!is_of_folder) {
    setup.deny_instead_of_asking =
        setup.deny_instead_of_asking || is_switched_on(settings, permissions, "denyInsteadOfPrompting");
  }
  setup.sources.push_back(
      {.rules = std::move(*rules),
       .source = source,
       .root = source == SettingSource::user && !setup.home.empty() ? setup.home + "/.claude" : ""});
  return {};
}

Result<void> read_settings(const Json& line, CheckLine& out, std::optional<Mode>& mode) {
  const Json* settings = find(line, "settings");
  if (!settings || settings->is_null()) return {};
  const Json* sources = find(*settings, "sources");
  if (!sources) return add_source(*settings, SettingSource::project, out, mode);
  if (!sources->is_object()) return fail(Errc::invalid_input, "settings.sources must be an object");
  // The strongest first: it says which mode.
  std::vector<std::pair<SettingSource, const Json*>> given;
  for (const auto& member : sources->get_object()) {
    const std::string_view name(member.key().data(), member.key().size());
    const auto source = parse_setting_source(name);
    if (!source) return fail(Errc::invalid_input, json_quote(name) + " is no source of settings");
    given.emplace_back(*source, &member.value());
  }
  std::ranges::sort(given, {}, [](const auto& entry) { return entry.first; });
  for (const auto& [source, value] : given) {
    if (auto added = add_source(*value, source, out, mode); !added) return added;
  }
  return {};
}

// Deny beats defer beats ask beats allow. Nobody can be asked later here, so that defer is ask.
Result<void> fold_hook(const Json& hook, CheckLine& out) {
  if (!hook.is_object()) return fail(Errc::invalid_input, "\"hook\" must be an object or a list of them");
  const std::string_view event = find_string(hook, "event").value_or("PreToolUse");
  const Json* word = find(hook, "decision");
  if (word && !word->is_string() && !word->is_null())
    return fail(Errc::invalid_input, "a hook's decision must be a word");
  const std::string_view decision = word && word->is_string() ? view(word->get_string()) : "";
  std::optional<Verdict> verdict;
  if (decision == "deny" || decision == "block") verdict = Verdict::deny;
  if (decision == "ask" || decision == "defer") verdict = Verdict::ask;
  if (decision == "allow" || decision == "approve") verdict = Verdict::allow;
  const auto fold = [&](std::optional<Verdict>& into) {
    if (verdict && (!into || *verdict > *into)) into = verdict;  // allow < ask < deny
  };
  if (event == "PermissionRequest") {
    fold(out.request_hook);
  } else if (event == "PreToolUse") {
    fold(out.question.hook_verdict);
  } else {
    return {};  // after the call, or about something else
  }
  const Json* updated = find(hook, "updatedInput");
  if (!updated || updated->is_null()) return {};
  if (!updated->is_object()) return fail(Errc::invalid_input, "a hook's updatedInput must be an object");
  out.input = *updated;
  return {};
}

Result<void> read_hooks(const Json& line, CheckLine& out) {
  const Json* hooks = find(line, "hook");
  if (!hooks || hooks->is_null()) return {};
  out.question.hook_reason = "a hook decided so";
  if (!hooks->is_array()) return fold_hook(*hooks, out);
  for (const Json& hook : hooks->get_array()) {
    if (auto folded = fold_hook(hook, out); !folded) return folded;
  }
  return {};
}

Result<std::string> absolute_of(const Json& line, std::string_view key, const std::string& otherwise) {
  const Json* value = find(line, key);
  if (!value || value->is_null()) return otherwise;
  if (!value->is_string()) return fail(Errc::invalid_input, json_quote(key) + " must be a path");
  std::string path(view(value->get_string()));
  if (!path.starts_with('/') || path.find('\0') != std::string::npos) {
    return fail(Errc::invalid_input, json_quote(key) + " must be an absolute path");
  }
  return path;
}

Result<CheckLine> read_line(const Json& line, const std::string& directory, const std::string& home) {
  CheckLine out;
  auto cwd = absolute_of(line, "cwd", directory);
  if (!cwd) return std::unexpected(cwd.error());
  out.setup.directory = *cwd;
  auto given_home = absolute_of(line, "home", home);
  if (!given_home) return std::unexpected(given_home.error());
  out.setup.home = *given_home;
  const auto tool = find_string(line, "tool");
  if (!tool || tool->empty()) return fail(Errc::invalid_input, "\"tool\" must name a tool");
  out.question.tool = *tool;
  if (const Json* input = find(line, "input"); input && !input->is_null()) {
    if (!input->is_object()) return fail(Errc::invalid_input, "\"input\" must be an object");
    out.input = *input;
  }
  const auto trusted = flag_of(line, "trusted", true);
  if (!trusted) return std::unexpected(trusted.error());
  out.setup.trusted = *trusted;
  auto more = paths_of(line, "additional_dirs");
  if (!more) return std::unexpected(more.error());
  for (const std::string& path : *more) out.setup.directories.push_back(placed(path, out.setup));
  std::optional<Mode> mode;
  if (auto read = read_settings(line, out, mode); !read) return std::unexpected(read.error());
  const auto chosen = mode_of(line, mode);
  if (!chosen) return std::unexpected(chosen.error());
  out.setup.mode = *chosen;
  if (auto read = read_hooks(line, out); !read) return std::unexpected(read.error());
  if (const Json* annotations = find(line, "annotations"); annotations && annotations->is_object()) {
    const Json* meta = find(*annotations, "_meta");
    for (const char* key : {"anthropic/requiresUserInteraction", "requiresUserInteraction"}) {
      out.needs_person = out.needs_person || find_bool(*annotations, key).value_or(false) ||
                         (meta && find_bool(*meta, key).value_or(false));
    }
  }
  return out;
}

Decision decide(CheckLine& line) {
  put_on_ground(line.setup);
  const Permissions permissions(line.setup);
  line.question.input = &line.input;
  if (line.needs_person) {
    line.question.own_verdict = OwnVerdict{Verdict::ask, "the tool wants a person to be asked", true};
  }
  declare_by_name(line.question, permissions, line.setup);
  Decision decision = permissions.decide(line.question);
  if (decision.verdict != Verdict::ask || !line.request_hook || *line.request_hook == Verdict::ask) return decision;
  // A hook that answers for the person lifts no rule and nothing that only a person may decide.
  if (*line.request_hook == Verdict::allow && decision.stage != PermissionStage::nobody_allowed_it) return decision;
  return {*line.request_hook, PermissionStage::hook, {}, line.question.hook_reason};
}

std::string answer(const Json& id, const Decision& decision) {
  JsonObject out{{"id", id},
                 {"decision", to_string(decision.verdict)},
                 {"rule", decision.rule.empty() ? Json(nullptr) : Json(decision.rule)},
                 {"reason", decision.reason},
                 {"stage", to_string(decision.stage)}};
  if (!decision.source.empty()) out["source"] = decision.source;
  if (!decision.command.empty()) out["command"] = decision.command;
  return to_json(out);
}

}  // namespace

void declare_by_name(PermissionQuestion& question, const Permissions& permissions, const PermissionSetup& setup) {
  const std::string_view tool = todays_tool_name(question.tool);
  const Subject subject = subject_of(tool);
  question.all_paths_known = true;
  question.hides_denied_files = permissions.hides_anything() && (tool == "Grep" || tool == "Glob");
  if (subject.kind == SubjectKind::edit) {
    const std::string_view path =
        question.input ? find_string(*question.input, subject.field).value_or("") : std::string_view();
    const bool has_path = tool == kPatchTool ? parse_patch(path).has_value() : !path.empty();
    question.edits_files = question.all_paths_known = has_path;
  }
  if (subject.kind == SubjectKind::command || subject.kind == SubjectKind::windows_command) {
    const bool leaves_sandbox = question.input && (find(*question.input, "dangerouslyDisableSandbox") ||
                                                   find(*question.input, "dangerously_disable_sandbox"));
    if (leaves_sandbox && !question.own_verdict) {
      const auto asked = find_bool(*question.input, "dangerouslyDisableSandbox");
      const auto asked_snake = find_bool(*question.input, "dangerously_disable_sandbox");
      if (asked != false || asked_snake == true) {
        question.own_verdict = OwnVerdict{Verdict::ask, "it wants to run outside the sandbox", true};
      }
    }
  }
  if (subject.kind == SubjectKind::command) {
    const auto command = question.input ? find_string(*question.input, subject.field) : std::nullopt;
    const shell::ClassifyOptions options{.cwd = setup.directory, .home = setup.home, .files = setup.files};
    question.read_only = tool == "Bash" && command && shell::classify(*command, options).read_only;
    if (!command) question.own_verdict = OwnVerdict{Verdict::ask, "there is no command in it", true};
  }
  const auto* known = std::ranges::find(kNatures, tool, [](const auto& entry) { return entry.first; });
  if (known == kNatures.end()) return;
  switch (known->second) {
    case Nature::session: question.session_only = true; break;
    case Nature::reads_nothing: question.read_only = true; break;
    case Nature::reads: {
      question.read_only = true;
      const bool needs_path = tool == "Read" || tool == "NotebookRead";
      if (needs_path) question.all_paths_known = find_string(*question.input, subject.field).value_or("") != "";
      break;
    }
    case Nature::network: question.read_only = question.uses_network = true; break;
    case Nature::person:
      question.read_only = true;
      question.own_verdict = OwnVerdict{Verdict::ask, "it is a question to a person", true};
      break;
  }
}

std::string permission_check_line(std::string_view line, const std::string& directory, const std::string& home) {
  const auto parsed = parse_json(line);
  const auto broken = [](const Json& id, std::string_view why) {
    return to_json(JsonObject{
        {"id", id}, {"decision", "ask"}, {"rule", nullptr}, {"reason", "the line cannot be used"}, {"error", why}});
  };
  if (!parsed) return broken(nullptr, parsed.error().message);
  if (!parsed->is_object()) return broken(nullptr, "the line is not a JSON object");
  const Json* id = find(*parsed, "id");
  auto checked = read_line(*parsed, directory, home);
  if (!checked) return broken(id ? *id : Json(nullptr), checked.error().message);
  return answer(id ? *id : Json(nullptr), decide(*checked));
}

}  // namespace deft
