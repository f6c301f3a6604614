// Wiring only: which subcommand, and nothing else.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "deft/core/schema_words.h"
#include "deft/os/secrecy.h"
#include "deft/os/standard_streams.h"
#include "deft/ui/classify_command.h"
#include "deft/ui/config_command.h"
#include "deft/ui/demo_command.h"
#include "deft/ui/doctor_command.h"
#include "deft/ui/exec.h"
#include "deft/ui/headless.h"
#include "deft/ui/hooks_command.h"
#include "deft/ui/mcp_command.h"
#include "deft/ui/permissions_command.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/sessions_command.h"
#include "deft/ui/tools_command.h"
#include "deft/ui/trace_command.h"
#include "deft/ui/trust_command.h"
#include "deft/ui/undo_command.h"
#include "deft/ui/version.h"

namespace {

constexpr const char* kHelp =
    R"(deft runs the tools of AI agents: fast, in an order you can prove, without leaking a process.

Usage: deft -p "PROMPT" [OPTIONS]     an agent: carries out the prompt, prints the answer and ends
       deft COMMAND [OPTIONS]

  demo         watch an agent at work, without a network or a key
  exec         run the tool calls of a model's message, from standard input
  classify     say whether a shell command only reads, and why
  permissions  say what would happen to a call, and why
  hooks        list the hooks in force, and try them out
  mcp          MCP servers: add, list, test, log in; or be one (mcp serve)
  sessions     list, show, export, search and remove what was said and done
  trace        show when everything in a session happened, as a picture
  undo         take back what file tools have changed
  config       show the settings in force, and where they come from
  trust        let the settings of a folder allow things
  tools        list the tools, as a table or as definitions for a model
  doctor       say what this machine lets deft do, and what to do about the rest
  help         this text; deft help COMMAND and deft COMMAND --help tell more

  --version    the version of the lines that deft -p speaks, which SDKs look at, and deft's own

Examples:
  deft -p "Why does the build fail?"
  git diff | deft -p "Review this change" --permission-mode plan
  deft -p --help
  echo '{"type":"tool_use","id":"1","name":"Read","input":{"file_path":"README.md"}}' | deft exec
)";

// -p may stand anywhere: deft "…" -p
bool wants_headless(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return false;
    if (word == "-p" || word == "--print") return true;
  }
  return false;
}

struct Command {
  const char* name;
  int (*run)(int argc, const char* const* argv);
};
constexpr std::array kCommands = {
    Command{"demo", deft::run_demo},           Command{"exec", deft::run_exec},
    Command{"classify", deft::run_classify},   Command{"permissions", deft::run_permissions},
    Command{"hooks", deft::run_hooks_command}, Command{"mcp", deft::run_mcp},
    Command{"sessions", deft::run_sessions},   Command{"trace", deft::run_trace},
    Command{"undo", deft::run_undo},           Command{"config", deft::run_config},
    Command{"trust", deft::run_trust},         Command{"tools", deft::run_tools},
    Command{"doctor", deft::run_doctor}};

const Command* command_named(std::string_view name) {
  const auto* found = std::ranges::find(kCommands, name, &Command::name);
  return found == kCommands.end() ? nullptr : found;
}

int unknown_command(const char* name) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  const std::string meant = deft::schema::nearest_name(name, names);
  std::fprintf(stderr, "deft: unknown command %s; %s\n", deft::safe_display(name).c_str(),
               meant.empty() ? "see deft --help" : ("is " + meant + " meant? See deft --help").c_str());
  return 2;
}

// deft help COMMAND: what deft COMMAND --help prints.
int show_help(int argc, char** argv) {
  if (argc < 3) return std::fputs(kHelp, stdout), 0;
  const Command* command = command_named(argv[2]);
  if (!command) return unknown_command(argv[2]);
  const std::array<const char*, 2> arguments = {argv[2], "--help"};
  return command->run(static_cast<int>(arguments.size()), arguments.data());
}

int run_command(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (const Command* command = command_named(word)) return command->run(argc - 1, argv + 1);
  if (word == "--version" || word == "-v") return std::puts(deft::version_text().c_str()), 0;
  if (word == "--help" || word == "-h") return std::fputs(kHelp, stdout), 0;
  if (word == "help") return show_help(argc, argv);
  if (word.starts_with('-') || wants_headless(argc, argv)) return deft::run_headless(argc, argv);
  if (word.empty()) return std::fputs(kHelp, stderr), 2;
  return unknown_command(argv[1]);
}

}  // namespace

int main(int argc, char** argv) {
  deft::open_missing_standard_streams();
  deft::hide_memory();  // keys of model APIs may be in it
  return deft::exit_code_when_written(run_command(argc, argv));
}
