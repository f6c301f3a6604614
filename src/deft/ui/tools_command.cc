#include "deft/ui/tools_command.h"

#include <cstdio>
#include <filesystem>
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
#include "deft/tools/team_tools.h"
#include "deft/ui/builtin_options.h"
#include "deft/ui/session_settings.h"
#include "deft/ui/tools_markdown.h"

namespace deft {
namespace {

constexpr const char* kHelp = R"(Lists the tools that come with deft.

Usage: deft tools [--json | --markdown]

  --json      the definitions as a model API takes them: [{"name","description","input_schema"}]
  --markdown  a page for people: docs/tools.md

Example:
  deft tools --json > tools.json    # put it into your request's "tools"
)";

constexpr std::size_t kSummaryCharactersMax = 90;

// Here tools are only described: nobody starts an agent or sends a message.
class NoAgents final : public AgentLauncher, public AgentPost {
 public:
  std::vector<AgentType> types_for(std::string_view) const override { return builtin_agent_types(); }
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
  options.monitor = [](const MonitorEvent&) {};
  options.remote_targets = {{.host = "ci.example.com", .variable = {}, .token = {}}};
  options.advisor.ask = [](const std::string&, std::stop_token) -> Result<Advice> { return Advice{}; };
  options.powershell = "/bin/sh";  // a program: without one it would count as missing
  auto tools = make_builtin_tools(options);
  tools.push_back(options.apply_patch ? make_edit_tool() : make_apply_patch_tool());
  return tools;
}

}  // namespace

int run_tools(int argc, const char* const* argv) {
  std::string_view form;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help" || option == "-h") return std::fputs(kHelp, stdout), 0;
    if (option != "--json" && option != "--markdown") {
      std::fprintf(stderr, "deft tools: unknown option %s; see deft tools --help\n", argv[i]);
      return 2;
    }
    form = option;
  }
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
    if (auto added = registry.add(std::move(tool)); !added) {
      std::fprintf(stderr, "deft tools: %s\n", added.error().message.c_str());
      return 1;
    }
  }
  // A host that drives `deft exec` shows its model what it wants to; people see all tools.
  if (form != "--json") registry.set_deferral({.when = Deferral::When::when_many});
  const auto pool = registry.pool(Permissions({}, Mode::normal, {}));
  const SessionState session;
  if (form == "--json") return std::printf("%s\n", pool->definitions(session).c_str()), 0;
  if (form == "--markdown") return std::fputs(tools_markdown(*pool).c_str(), stdout), 0;
  for (const RegisteredTool& entry : pool->advertised()) {
    const std::string description = entry.tool->description(session);
    std::printf("%-12s %s\n", entry.tool->spec().name.c_str(), one_line(description, kSummaryCharactersMax).c_str());
  }
  return 0;
}

}  // namespace deft
