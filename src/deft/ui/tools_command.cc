#include "deft/ui/tools_command.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "deft/agent/skill_shelf.h"
#include "deft/base/text.h"
#include "deft/os/disk_files.h"
#include "deft/os/local_time.h"
#include "deft/tools/agent_tool.h"
#include "deft/tools/apply_patch.h"
#include "deft/tools/edit.h"
#include "deft/tools/registry.h"
#include "deft/tools/shown_definitions.h"
#include "deft/tools/team_tools.h"
#include "deft/ui/builtin_options.h"
#include "deft/ui/lone_servers.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/session_settings.h"
#include "deft/ui/tools_markdown.h"

namespace deft {
namespace {

constexpr const char* kHelp = R"(Lists the tools that come with deft.

Usage: deft tools [--json | --markdown] [--mcp]

  --json       the definitions as a model API takes them: [{"name","description","input_schema"}]
  --markdown   a page for people: docs/tools.md
  --mcp        also those of the MCP servers that are configured for this folder; they are started for it
  --mcp-config FILE|JSON  the same, with servers of this file (or JSON itself) as well; may be repeated
  --strict-mcp-config     no other servers than those
  --trust      trust this folder for now: its own servers may be started, if they are approved

Examples:
  deft tools --json > tools.json          # put it into your request's "tools"
  deft tools --json --mcp > tools.json    # what `deft exec` would have here, servers included
)";

constexpr std::size_t kSummaryCharactersMax = 90;

// Here tools are only described: nobody starts an agent or sends a message.
class NoAgents final : public AgentLauncher, public AgentPost {
 public:
  std::vector<AgentType> types_for(std::string_view) const override { return builtin_agent_types(); }
  std::uint64_t types_version() const override { return 0; }
  std::optional<std::string> type_of(std::string_view) const override { return std::nullopt; }
  bool runs_in_background(const AgentRequest&) const override { return false; }
  bool needs_worktree(const AgentRequest&) const override { return false; }
  Result<void> check(const AgentRequest&, const ToolIo&) const override { return none(); }
  Result<std::string> start(const AgentRequest&, ToolIo&) override { return none(); }
  void when_free(const std::string&, std::function<void()> callback) override { callback(); }
  std::optional<AgentReport> take_report(const std::string&) override { return std::nullopt; }
  std::string output_file(const std::string&) const override { return {}; }
  Result<std::vector<std::string>> send(std::string_view, const Letter&) override { return none(); }
  Result<void> create_team(const std::string&) override { return none(); }
  Result<std::vector<std::string>> delete_team(bool) override { return none(); }

 private:
  static std::unexpected<Error> none() { return fail(Errc::unsupported, "there are no agents here"); }
};

// For a host: those that `deft exec` would have in this folder.
std::shared_ptr<const Skills> skills_here(Files& files) {
  std::error_code error;
  const std::string directory = std::filesystem::current_path(error);
  const auto settings = load_session_settings({.directory = directory, .given = {}, .wanted = {}});
  return std::make_shared<SkillShelf>(
      SkillRequest{.places = settings_places(directory), .trusted = settings && settings->trusted}, files);
}

// Also those that are only there where a setting, a program or a session needs them: for the page, on every machine the
// same. They are described, never run.
std::vector<std::shared_ptr<Tool>> every_tool(BuiltinOptions options) {
  static const SystemClock clock;
  options.web_search = {.provider = "searxng", .url = "https://searx.example"};
  options.schedule =
      std::make_shared<SharedSchedule>(SharedSchedule::Parts{.clock = clock, .offset = local_utc_offset});
  options.monitor.sink = [](const MonitorEvent&) {};
  options.remote_targets = {{.host = "ci.example.com", .variable = {}, .token = {}}};
  options.advisor.ask = [](const std::string&, std::stop_token) -> Result<Advice> { return Advice{}; };
  options.powershell = "/bin/sh";  // a program: without one it would count as missing
  auto tools = make_builtin_tools(options);
  tools.push_back(options.apply_patch ? make_edit_tool() : make_apply_patch_tool());
  return tools;
}

struct ToolsOptions {
  std::string_view form = {};
  bool has_servers = false;
  bool trust = false;
  McpRequestedFiles mcp = {};
};

Result<ToolsOptions> read_options(int argc, const char* const* argv) {
  ToolsOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const bool has_value = option == "--mcp-config";
    if (has_value && ++i == argc) return fail(Errc::invalid_input, "--mcp-config needs a file, or JSON itself");
    if (has_value) options.mcp.configs.emplace_back(argv[i]);
    options.mcp.strict = options.mcp.strict || option == "--strict-mcp-config";
    options.has_servers = options.has_servers || option == "--mcp" || has_value;
    options.trust = options.trust || option == "--trust";
    if (option == "--json" || option == "--markdown") {
      options.form = option;
    } else if (!has_value && option != "--mcp" && option != "--strict-mcp-config" && option != "--trust") {
      return fail(Errc::invalid_input, "unknown option " + std::string(option) + "; see deft tools --help");
    }
  }
  return options;
}

int complain(const Error& error) {
  std::fprintf(stderr, "deft tools: %s\n", safe_display(error.message).c_str());
  return error.code == Errc::invalid_input ? 2 : 1;
}

// The servers of this folder, while they are looked at.
Result<std::unique_ptr<LoneServers>> start_servers(const ToolsOptions& options, ToolRegistry& registry) {
  std::error_code error;
  const std::string directory = std::filesystem::canonical(".", error);
  const auto settings =
      load_session_settings({.directory = directory, .given = {}, .wanted = {}, .trust = options.trust});
  if (!settings) return std::unexpected(settings.error());
  const auto say = [](const std::string& text) {
    std::fprintf(stderr, "deft tools: %s\n", safe_display(text).c_str());
  };
  auto found = std::make_shared<std::vector<PublishedTools>>();
  const auto mutex = std::make_shared<std::mutex>();
  auto servers = LoneServers::start({.directory = directory,
                                     .requested = options.mcp,
                                     .settings = settings->files,
                                     .trusted = settings->trusted,
                                     .publish =
                                         [found, mutex](PublishedTools published) {
                                           const std::lock_guard lock(*mutex);
                                           found->push_back(std::move(published));
                                         },
                                     .notice = say});
  if (!servers || !*servers) return servers;
  (*servers)->wait_for_first();
  for (const McpStatus& status : (*servers)->servers().servers().statuses()) {
    if (status.state != McpState::ready) {
      say("the MCP server " + status.name + " is left out: " + std::string(to_string(status.state)) +
          (status.detail.empty() ? "" : ", " + status.detail));
    }
  }
  for (auto& tool : (*servers)->servers().resource_tools()) {
    if (auto added = registry.add(std::move(tool)); !added) return std::unexpected(added.error());
  }
  const std::lock_guard lock(*mutex);
  for (PublishedTools& published : *found) {
    for (const std::string& text : registry.set_group(published.server, std::move(published.tools))) say(text);
  }
  return servers;
}

}  // namespace

int run_tools(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help" || option == "-h") return std::fputs(kHelp, stdout), 0;
  }
  const auto options = read_options(argc, argv);
  if (!options) return complain(options.error());
  const std::string_view form = options->form;
  BuiltinOptions builtin = builtin_options(Settings{});
  DiskFiles files;
  builtin.skill.skills = form == "--json" ? skills_here(files) : no_skills();
  ToolRegistry registry;
  NoAgents agents;
  std::vector<std::shared_ptr<Tool>> tools = form == "--markdown" ? every_tool(builtin) : make_builtin_tools(builtin);
  // Those are a session's with a model, and no host's.
  if (form != "--json") {
    for (auto& tool : {make_agent_tool(agents), make_send_message_tool(agents), make_team_create_tool(agents),
                       make_team_delete_tool(agents)}) {
      tools.push_back(tool);
    }
  }
  for (auto& tool : tools) {
    if (auto added = registry.add(std::move(tool)); !added) return complain(added.error());
  }
  std::unique_ptr<LoneServers> servers;
  if (options->has_servers) {
    auto started = start_servers(*options, registry);
    if (!started) return complain(started.error());
    servers = *std::move(started);
  }
  // A host that drives `deft exec` shows its model what it wants to; people see all tools.
  if (form != "--json") registry.set_deferral({.when = Deferral::When::when_many});
  const auto pool = registry.pool(Permissions({}, Mode::normal, {}));
  const SessionState session;
  if (form == "--json") return std::printf("%s\n", pool->definitions(session).c_str()), 0;
  if (form == "--markdown") return std::fputs(tools_markdown(*pool).c_str(), stdout), 0;
  for (const RegisteredTool& entry : pool->advertised()) {
    const std::string description = description_of(*entry.tool, session);
    std::printf("%-12s %s\n", entry.tool->spec().name.c_str(), one_line(description, kSummaryCharactersMax).c_str());
  }
  return 0;
}

}  // namespace deft
