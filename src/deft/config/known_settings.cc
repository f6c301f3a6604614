#include "deft/config/known_settings.h"

#include <algorithm>
#include <array>

#include "deft/core/schema_words.h"

namespace deft {
namespace {

constexpr std::size_t kNamedMax = 10;  // of one file

constexpr std::string_view kPermissions = "Permissions";
constexpr std::string_view kModel = "The model";
constexpr std::string_view kCalls = "Calls and results";
constexpr std::string_view kTools = "Tools";
constexpr std::string_view kOthers = "Hooks, servers, telemetry";

constexpr std::array kSettings = {
    KnownSetting{kPermissions, "permissions.allow", "list of rules",
                 "calls that need no question: [permissions.md](permissions.md)"},
    KnownSetting{kPermissions, "permissions.ask", "list of rules", "calls that are always asked for"},
    KnownSetting{kPermissions, "permissions.deny", "list of rules", "calls that are never made; beats everything else"},
    KnownSetting{kPermissions, "permissions.defaultMode",
                 "`default`, `acceptEdits`, `plan`, `auto`, `dontAsk`, `bypassPermissions`",
                 "the mode that a session begins in; a project's file chooses none that allows more"},
    KnownSetting{kPermissions, "permissions.additionalDirectories", "list of folders", "further folders to work in"},
    KnownSetting{kPermissions, "permissions.disableBypassPermissionsMode", "`disable`", "that mode cannot be entered"},
    KnownSetting{kPermissions, "permissions.disableAutoMode", "`disable`", "nor can `auto`"},
    KnownSetting{kPermissions, "permissions.blockReadsOutsideWorkingDirectories", "`false`, `true`",
                 "what stands outside of the working directories is not read"},
    KnownSetting{kPermissions, "permissions.blockWritesOutsideWorkingDirectories", "`false`, `true`",
                 "and not written"},
    KnownSetting{kPermissions, "permissions.denyInsteadOfPrompting", "`false`, `true`",
                 "what would be asked is denied; not in a project's file"},
    KnownSetting{kPermissions, "allowManagedPermissionRulesOnly", "`false`, `true`",
                 "managed only: no other source allows anything"},
    KnownSetting{kPermissions, "permissionExamples.allow", "list of calls",
                 "what `deft permissions test FILE` tries: what must be allowed"},
    KnownSetting{kPermissions, "permissionExamples.ask", "list of calls", "must be asked"},
    KnownSetting{kPermissions, "permissionExamples.deny", "list of calls", "must be denied"},
    KnownSetting{kPermissions, "autoMode.environment", "list of texts",
                 "what the classifier of the mode `auto` is told of this place"},
    KnownSetting{kPermissions, "autoMode.allow", "list of texts", "what it takes for harmless"},
    KnownSetting{kPermissions, "autoMode.soft_deny", "list of texts",
                 "what it calls risky unless the user asked for it"},
    KnownSetting{kPermissions, "autoMode.hard_deny", "list of texts", "what it always calls risky"},
    KnownSetting{kPermissions, "autoMode.classifyAllShell", "`false`, `true`",
                 "it judges commands that rules allow, too"},
    KnownSetting{kPermissions, "askUserQuestionTimeout", "`never`, `60s`, `5m`, `10m`",
                 "how long the model's own questions wait"},
    KnownSetting{kModel, "provider", "`anthropic`, `openai`, `openai-chat`, `openai-responses`, `scripted`",
                 "which API is spoken: [models.md](models.md)"},
    KnownSetting{kModel, "baseUrl", "address", "the server"},
    KnownSetting{kModel, "model", "name", "the model"},
    KnownSetting{kModel, "fallbackModel", "name, or list of names", "asked where the model is overloaded or fails"},
    KnownSetting{kModel, "smallModel", "name", "for short side questions"},
    KnownSetting{kModel, "advisorModel", "name", "for a second opinion; none: there is no tool Advisor"},
    KnownSetting{kModel, "advisor.enabled", "`true`, `false`", "switches it off"},
    KnownSetting{kModel, "advisor.maxCalls", "number", "how often a session may ask it"},
    KnownSetting{kModel, "advisor.maxTokens", "number", "how many tokens that may cost"},
    KnownSetting{kModel, "apiKeyHelper", "command", "prints the key; after trust only"},
    KnownSetting{kModel, "script", "file", "what a scripted model says: [scripted-model.md](scripted-model.md)"},
    KnownSetting{kModel, "effortLevel", "`low`, `medium`, `high`, `xhigh`, `max`", "how hard the model thinks"},
    KnownSetting{kModel, "alwaysThinkingEnabled", "`true`, `false`", "whether it thinks before it answers"},
    KnownSetting{kModel, "promptCacheTtl", "`5m`, `1h`, `off`", "how long the provider keeps what was said"},
    KnownSetting{kModel, "streaming", "`on`, `off`", "answers come word by word, and calls begin while they do"},
    KnownSetting{kModel, "autoCompactEnabled", "`true`, `false`", "a conversation that is nearly full is summarised"},
    KnownSetting{kModel, "autoCompactWindow", "number of tokens", "how long the conversation may be until then"},
    KnownSetting{kModel, "prices.*.input", "dollars",
                 "a million tokens of that model (a name may end in `*`): [headless.md](headless.md)"},
    KnownSetting{kModel, "prices.*.output", "dollars", "a million tokens that it wrote"},
    KnownSetting{kModel, "prices.*.cacheRead", "dollars",
                 "a million tokens from the provider's cache; a tenth of `input` unless given"},
    KnownSetting{kModel, "prices.*.cacheWrite", "dollars",
                 "a million tokens written to it; five quarters of `input` unless given"},
    KnownSetting{kModel, "prices.*.cacheWriteHour", "dollars",
                 "of these, a million that is kept for an hour; eight fifths of `cacheWrite` unless given"},
    KnownSetting{kModel, "prices.*.contextWindow", "number of tokens", "how much the model can be told"},
    KnownSetting{kModel, "env.*", "text", "a variable that chooses the model, where you want it in a file"},
    KnownSetting{kCalls, "scheduling", "`footprints`, `exclusive`", "what may run side by side: [exec.md](exec.md)"},
    KnownSetting{kCalls, "cancelSiblingsOnFailure", "`on`, `off`",
                 "a failed command ends the later ones of its message"},
    KnownSetting{kCalls, "shell.daemons", "list of programs",
                 "may go on when the command that started them has ended: [shell.md](shell.md)"},
    KnownSetting{kCalls, "shell.profile", "`auto`, `always`, `never`",
                 "whether the login profile is run before the first command"},
    KnownSetting{kCalls, "shell.readOnlyWithoutSandbox", "`false`, `true`",
                 "trust the judgement where the kernel cannot enforce it"},
    KnownSetting{kCalls, "shell.commandsAtOnce", "number", "of all deft processes of a user; 0: no limit"},
    KnownSetting{kCalls, "shell.limits.memoryMb", "number", "for each process of a command; 0: no limit"},
    KnownSetting{kCalls, "shell.limits.processes", "number", "for all processes of the user"},
    KnownSetting{kCalls, "shell.limits.fileMb", "number", "for each file that is written"},
    KnownSetting{kCalls, "shell.limits.openFiles", "number", "for each process"},
    KnownSetting{kCalls, "bashOutputMaxChars", "30000; 4000 to 128000",
                 "how much of a command's output the model sees"},
    KnownSetting{kCalls, "results.maxChars", "50000", "of a single result: [results.md](results.md)"},
    KnownSetting{kCalls, "results.messageMaxChars", "200000", "of all results of a message"},
    KnownSetting{kCalls, "results.preview", "`start`, `end`, `both`", "which part of a stored result is shown"},
    KnownSetting{kCalls, "results.tools.*", "number, `unlimited` or `{\"maxChars\", \"preview\"}`",
                 "the same for one tool"},
    KnownSetting{kCalls, "results.dedupe", "`true`, `false`", "refer to an equal result instead of repeating it"},
    KnownSetting{kCalls, "results.fileMaxMb", "64", "of one result that is kept"},
    KnownSetting{kCalls, "results.sessionMaxMb", "1024", "of all results that a session keeps"},
    KnownSetting{kCalls, "results.diskFreeMb", "64", "stays free on the disk"},
    KnownSetting{kCalls, "cleanupPeriodDays", "30",
                 "how long sessions are kept that nobody uses: [sessions.md](sessions.md)"},
    KnownSetting{kCalls, "durability", "`process`, `disk`", "what a session survives: `kill -9`, or a power cut too"},
    KnownSetting{kCalls, "fileCheckpointingEnabled", "`true`, `false`", "old contents are kept for hosts that go back"},
    KnownSetting{kTools, "editTool", "`auto`, `Edit`, `apply_patch`",
                 "how the model changes files: [apply-patch.md](apply-patch.md)"},
    KnownSetting{kTools, "webFetch.privateHosts", "list of hosts",
                 "addresses of this machine and network that may be fetched: [web.md](web.md)"},
    KnownSetting{kTools, "webSearch.provider", "`searxng`, `brave`, `model`",
                 "who searches the web; none: there is no tool WebSearch"},
    KnownSetting{kTools, "webSearch.url", "address", "of the SearXNG server"},
    KnownSetting{kTools, "worktree.symlinkDirectories", "list of folders",
                 "shared with new worktrees: [worktrees.md](worktrees.md)"},
    KnownSetting{kTools, "worktree.sparsePaths", "list of folders", "all that is checked out there"},
    KnownSetting{kTools, "worktree.baseRef", "`head`, `fresh`", "what they begin from"},
    KnownSetting{kTools, "lsp.enabled", "`true`, `false`", "language servers: [lsp.md](lsp.md)"},
    KnownSetting{kTools, "lsp.servers.*", "object", "one of your own"},
    KnownSetting{kTools, "lsp.diagnosticsAfterEdits", "`true`, `false`", "problems follow an edit"},
    KnownSetting{kTools, "lsp.diagnosticsWaitMs", "number", "how long they are waited for"},
    KnownSetting{kTools, "remoteTriggers.*.tokenVariable", "name of a variable",
                 "hosts that runs may be started at: [schedules.md](schedules.md)"},
    KnownSetting{kTools, "skillOverrides.*", "`on`, `name-only`, `user-invocable-only`, `off`",
                 "what of a skill is offered: [skills.md](skills.md)"},
    KnownSetting{kTools, "disableSkillShellExecution", "`false`, `true`", "commands in skills are not run"},
    KnownSetting{kTools, "agent", "name", "the type of the main agent: [agents.md](agents.md)"},
    KnownSetting{kTools, "claudeMdExcludes", "list of globs",
                 "memory files that are not read: [sessions.md](sessions.md)"},
    KnownSetting{kTools, "claudeMd", "text", "managed only: memory of the machine"},
    KnownSetting{kTools, "outputStyle", "`default`", "kept for hosts, without effect"},
    KnownSetting{kOthers, "hooks.*", "list", "programs at the steps of a call: [hooks.md](hooks.md)"},
    KnownSetting{kOthers, "disableAllHooks", "`false`, `true`", "none is run"},
    KnownSetting{kOthers, "allowManagedHooksOnly", "`false`, `true`", "managed only: only managed ones are"},
    KnownSetting{kOthers, "allowedHttpHookUrls", "list of patterns", "where hooks may send to"},
    KnownSetting{kOthers, "httpHookAllowedEnvVars", "list of names", "variables that their headers may name"},
    KnownSetting{kOthers, "enableAllProjectMcpServers", "`false`, `true`",
                 "servers of `.mcp.json` need no approval: [mcp.md](mcp.md)"},
    KnownSetting{kOthers, "enabledMcpjsonServers", "list of names", "those that need none"},
    KnownSetting{kOthers, "disabledMcpjsonServers", "list of names", "those that are not started"},
    KnownSetting{kOthers, "allowedMcpServers", "list of patterns", "only these are started"},
    KnownSetting{kOthers, "deniedMcpServers", "list of patterns", "never these"},
    KnownSetting{kOthers, "allowManagedMcpServersOnly", "`false`, `true`", "managed only: no other list counts"},
    KnownSetting{kOthers, "telemetry.otlpEndpoint", "address",
                 "of an OpenTelemetry collector: [events.md](events.md); not in a project's file"},
    KnownSetting{kOthers, "telemetry.otlpHeaders", "object of texts", "that it wants, a key for example"},
};

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('.')); }
std::string_view after_first_part(std::string_view path) {
  const std::size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
}

// `paths`: what there is below the place of `settings`; the keys of an object stand there with all that is in them.
void find_mistyped(const Json& settings, const std::vector<std::string_view>& paths, const std::string& place,
                   std::vector<std::string>& found) {
  if (!settings.is_object() || paths.empty()) return;
  std::vector<std::string> names;
  for (const std::string_view path : paths) {
    const std::string name(first_part(path));
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  const bool takes_any = std::ranges::find(names, "*") != names.end();
  for (const auto& [key, value] : settings.get_object()) {
    const std::string name(key.data(), key.size());
    const std::string_view fits = takes_any ? std::string_view("*") : std::string_view(name);
    if (std::ranges::find(names, fits) != names.end()) {
      std::vector<std::string_view> below;
      for (const std::string_view path : paths) {
        if (first_part(path) == fits && !after_first_part(path).empty()) below.push_back(after_first_part(path));
      }
      find_mistyped(value, below, place + name + ".", found);
      continue;
    }
    const std::string meant = schema::nearest_name(name, names);
    if (meant.empty() || found.size() == kNamedMax) continue;
    found.push_back(json_quote(place + name) + " is no setting of deft's and has no effect; is " +
                    json_quote(place + meant) + " meant?");
  }
}

}  // namespace

std::span<const KnownSetting> known_settings() { return kSettings; }

std::vector<std::string> mistyped_settings(const Json& settings) {
  std::vector<std::string_view> paths;
  for (const KnownSetting& setting : kSettings) paths.push_back(setting.key);
  std::vector<std::string> found;
  find_mistyped(settings, paths, "", found);
  return found;
}

}  // namespace deft
