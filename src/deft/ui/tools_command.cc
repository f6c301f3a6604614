#include "deft/ui/tools_command.h"

#include <cstdio>
#include <string>
#include <string_view>

#include "deft/base/text.h"
#include "deft/os/local_time.h"
#include "deft/tools/apply_patch.h"
#include "deft/tools/edit.h"
#include "deft/tools/registry.h"
#include "deft/ui/builtin_options.h"
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

// Also those that are only there where a setting, a program or a session needs them: for the page, on every machine the
// same. They are described, never run.
std::vector<std::shared_ptr<Tool>> every_tool() {
  static const SystemClock clock;
  BuiltinOptions options = builtin_options(Settings{});
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
  ToolRegistry registry;
  for (auto& tool : form == "--markdown" ? every_tool() : make_builtin_tools(builtin_options(Settings{}))) {
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
