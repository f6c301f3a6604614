// Wiring only: which subcommand, and nothing else.
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

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
#include "deft/ui/meant_word.h"
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
  help         this text; deft help COMMAND, or deft COMMAND --help, tells more

  --version    the version of the lines that deft -p speaks, which SDKs look at, and deft's own

Examples:
  deft -p "Why does the build fail?"
  git diff | deft -p "Review this change" --permission-mode plan
  deft -p --help
  echo '{"type":"tool_use","id":"1","name":"Read","input":{"file_path":"README.md"}}' | deft exec
)";

constexpr struct {
  std::string_view name;
  int (*run)(int argc, const char* const* argv);
} kCommands[] = {
    {"demo", deft::run_demo},           {"exec", deft::run_exec},
    {"classify", deft::run_classify},   {"permissions", deft::run_permissions},
    {"hooks", deft::run_hooks_command}, {"mcp", deft::run_mcp},
    {"sessions", deft::run_sessions},   {"trace", deft::run_trace},
    {"undo", deft::run_undo},           {"config", deft::run_config},
    {"trust", deft::run_trust},         {"tools", deft::run_tools},
    {"doctor", deft::run_doctor},
};

// -p may stand anywhere: deft "…" -p
bool wants_headless(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return false;
    if (word == "-p" || word == "--print") return true;
  }
  return false;
}

// What scripts ask of other programs by these words, and what there is here.
constexpr struct {
  std::string_view command;
  const char* instead;
} kElsewhere[] = {
    {"agents", "types of agents are files, .deft/agents/NAME.md, or come with deft -p --agents"},
    {"auth", "nobody logs in to deft: keys come from the environment (ANTHROPIC_API_KEY ...) or the settings"},
    {"install", "deft is one file: put it where it shall be"},
    {"login", "nobody logs in to deft: keys come from the environment (ANTHROPIC_API_KEY ...) or the settings"},
    {"plugin", "deft has no plugins: skills, agents, hooks and MCP servers come from files"},
    {"setup-token", "nobody logs in to deft: keys come from the environment (ANTHROPIC_API_KEY ...) or the settings"},
    {"update", "deft does not update itself"},
};

std::string about_unknown(std::string_view command) {
  if (command.find_first_of(" \n") != std::string_view::npos) return "to carry out a prompt say -p: deft -p \"...\"";
  const auto* const elsewhere = std::ranges::find(kElsewhere, command, [](const auto& one) { return one.command; });
  const std::string unknown = "unknown command " + deft::safe_display(command);
  if (elsewhere != std::end(kElsewhere)) return unknown + ": " + elsewhere->instead;
  std::vector<std::string> known{"help"};
  for (const auto& one : kCommands) known.emplace_back(one.name);
  return unknown + deft::meant_word(command, known) + "; see deft --help";
}

int refuse(std::string_view command) {
  std::fprintf(stderr, "deft: %s\n", about_unknown(command).c_str());
  return 2;
}

int help_with(std::string_view command) {
  const char* const words[] = {command.data(), "--help"};
  if (command == "-p" || command == "--print") return deft::run_headless(2, words);
  const auto* const found = std::ranges::find(kCommands, command, [](const auto& one) { return one.name; });
  return found == std::end(kCommands) ? refuse(command) : found->run(2, words);
}

int run(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  for (const auto& one : kCommands) {
    if (one.name == command) return one.run(argc - 1, argv + 1);
  }
  if (command == "--version" || command == "-v") return std::puts(deft::version_text().c_str()), 0;
  if (command == "help" && argc > 2) return help_with(argv[2]);
  if (command == "help" || command == "--help" || command == "-h") return std::fputs(kHelp, stdout), 0;
  if (command.starts_with('-') || wants_headless(argc, argv)) return deft::run_headless(argc, argv);
  if (command.empty()) return std::fputs(kHelp, stderr), 2;
  return refuse(command);
}

}  // namespace

int main(int argc, char** argv) {
  deft::open_missing_standard_streams();
  deft::hide_memory();  // keys of model APIs may be in it
  return deft::exit_code_when_written(run(argc, argv));
}
