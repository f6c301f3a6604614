#include "deft/ui/doctor_command.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/agent_files.h"
#include "deft/agent/session_store.h"
#include "deft/agent/skill_shelf.h"
#include "deft/base/json.h"
#include "deft/base/text.h"
#include "deft/model/provider_choice.h"
#include "deft/os/capabilities.h"
#include "deft/os/disk_files.h"
#include "deft/os/environment.h"
#include "deft/tools/shell_environment.h"
#include "deft/ui/builtin_options.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/session_settings.h"

namespace deft {
namespace {

constexpr const char* kHelp = R"(Says what this machine lets deft do, and what to do about the rest. Starts nothing.

Usage: deft doctor [--json]

  --json    {"healthy","findings":[{"name","state","text"}]}, state: good, note or bad

Examples:
  deft doctor
  deft doctor --json | jq '.findings[] | select(.state == "bad")'

Exit code: 0 if every command can run, 1 if something must be repaired first, 2 for unusable arguments.
)";

struct Finding {
  enum class State { good, note, bad };
  std::string name;
  State state = State::good;
  std::string text;
};

std::string_view to_string(Finding::State state) {
  switch (state) {
    case Finding::State::good: return "good";
    case Finding::State::note: return "note";
    case Finding::State::bad: return "bad";
  }
  return "bad";
}

Finding program(std::string name, const char* path, Finding::State if_missing, std::string_view what_for,
                std::string_view package) {
  if (::access(path, X_OK) == 0) return {std::move(name), Finding::State::good, path};
  return {std::move(name), if_missing,
          std::string(path) + " is missing: " + std::string(what_for) + ". Install " + std::string(package) + "."};
}

Finding temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  if (!folder || *folder == '\0') folder = "/tmp";
  if (::access(folder, W_OK | X_OK) == 0) return {"temporary folder", Finding::State::good, folder};
  return {"temporary folder", Finding::State::bad,
          std::string(folder) + " is not writable: set TMPDIR to a folder that is"};
}

// Whether a run could keep its session; nothing is made.
Finding sessions() {
  const std::string folder = SessionStore::default_folder();
  if (folder.empty()) {
    return {"sessions", Finding::State::note,
            "there is no home folder to keep them in: set HOME or XDG_STATE_HOME, or say --no-session-persistence"};
  }
  std::filesystem::path existing = folder;
  std::error_code ec;
  while (!std::filesystem::exists(existing, ec) && existing.has_relative_path()) existing = existing.parent_path();
  if (std::filesystem::is_directory(existing, ec) && ::access(existing.c_str(), W_OK | X_OK) == 0) {
    return {"sessions", Finding::State::good, "kept in " + folder};
  }
  return {"sessions", Finding::State::bad,
          existing.string() + " is not a folder that can be written, so none can be kept in " + folder +
              ": set XDG_STATE_HOME to one that is, or say --no-session-persistence"};
}

Finding profile() {
  const char* level = std::getenv("SHLVL");
  if (level && *level != '\0') {
    return {"profile", Finding::State::good, "deft was started from a shell, whose environment commands get"};
  }
  return {"profile", Finding::State::good,
          "deft was not started from a shell: your login profile is run once, before the first command"};
}

Finding secrets(bool is_root) {
  std::vector<std::string> names;
  for (const std::string& variable : ShellEnvironment::own()) {
    const std::string name = variable.substr(0, variable.find('='));
    if (is_secret_name(name)) names.push_back(name);
  }
  if (names.empty() && !is_root) {
    return {"secrets", Finding::State::good, "no key of a model API is in the environment"};
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  if (!names.empty()) text += " is not handed to commands, but the shell that exported it has it in its own memory";
  if (is_root) {
    text +=
        std::string(text.empty() ? "" : "; ") + "a command that runs as root can look into other processes, deft's too";
  }
  return {"secrets", Finding::State::note, text};
}

Finding about_web_search(const std::string& provider, bool is_anthropic) {
  if (provider.empty()) {
    return {
        "web search", Finding::State::good,
        "none, so there is no tool WebSearch; \"webSearch\": {\"provider\": \"searxng\", \"url\": …}, {\"provider\": "
        "\"brave\"} or {\"provider\": \"model\"} (the search of Anthropic's API) in the settings adds it"};
  }
  const char* key = std::getenv("BRAVE_API_KEY");
  if (provider == "brave" && (!key || !*key)) {
    return {"web search", Finding::State::note,
            "brave, but BRAVE_API_KEY is not set, so there is no tool WebSearch: export a key of its Search API"};
  }
  if (provider == "model" && !is_anthropic) {
    return {
        "web search", Finding::State::note,
        "model, but only Anthropic's API has a search of its own, so there is no tool WebSearch: use \"searxng\" or "
        "\"brave\" in the settings (webSearch.provider)"};
  }
  return {"web search", Finding::State::good, provider};
}

Finding commands_at_once(const ShellSettings& shell) {
  const auto slots = command_slots(shell);
  if (slots->most() == 0) return {"commands at once", Finding::State::good, "as many as are asked for"};
  const std::string most = std::to_string(slots->most()) + " of all deft processes together (shell.commandsAtOnce)";
  if (const auto usable = slots->check(); !usable) {
    return {"commands at once", Finding::State::note,
            "not counted across processes, so there may be more than " + most + ": " + usable.error().message};
  }
  return {"commands at once", Finding::State::good, "at most " + most};
}

// What the settings say of commands, which model would be asked from here, and how to get a search of the web.
void examine_settings(std::vector<Finding>& findings) {
  std::error_code error;
  const std::string directory = std::filesystem::current_path(error);
  const auto session = load_session_settings({.directory = directory, .given = {}, .wanted = {}});
  if (!session) {
    findings.push_back({"settings", Finding::State::bad, session.error().message});
    return;
  }
  for (const std::string& problem : session->merged.problems) {
    findings.push_back({"settings", Finding::State::note, problem});
  }
  if (session->merged.problems.empty()) {
    findings.push_back({"settings", Finding::State::good, "deft config lists what is in force"});
  }
  const Settings& settings = session->merged.settings;
  findings.push_back(commands_at_once(settings.shell));
  std::vector<std::string> environment = ShellEnvironment::own();
  environment.insert(environment.end(), settings.model.environment.begin(), settings.model.environment.end());
  const auto choice = choose_provider(settings.model, {}, environment);
  findings.push_back({"model", choice ? Finding::State::good : Finding::State::note,
                      choice ? choice->description() : choice.error().message});
  const bool is_anthropic = choice && choice->api == ModelApi::anthropic;
  findings.push_back(about_web_search(settings.web.search_provider, is_anthropic));
  const std::string& advisor = settings.model.advisor_model;
  findings.push_back({"advisor", Finding::State::good,
                      !settings.tools.advisor_enabled ? "switched off by the settings"
                      : !advisor.empty()
                          ? advisor
                          : "none, so there is no tool Advisor; \"advisorModel\" in the settings adds it"});
}

// Types of subagents that are written down where this session would look for them.
void examine_agent_types(std::vector<Finding>& findings) {
  std::error_code error;
  const std::string directory = std::filesystem::current_path(error);
  const auto session = load_session_settings({.directory = directory, .given = {}, .wanted = {}});
  DiskFiles files;
  const FoundAgentTypes found =
      find_agent_types({.places = settings_places(directory), .trusted = session && session->trusted}, files);
  for (const std::string& problem : found.problems) {
    findings.push_back({"agent type", Finding::State::note, problem});
  }
  std::vector<std::string> names;
  for (const AgentType& type : found.types) names.push_back(type.name);
  if (!names.empty()) findings.push_back({"agent types", Finding::State::good, join(names, ", ")});
}

// Skills and commands, in the same way.
void examine_skills(std::vector<Finding>& findings) {
  std::error_code error;
  const std::string directory = std::filesystem::current_path(error);
  const auto session = load_session_settings({.directory = directory, .given = {}, .wanted = {}});
  DiskFiles files;
  const SkillShelf shelf({.places = settings_places(directory), .trusted = session && session->trusted}, files);
  for (const std::string& problem : shelf.problems()) findings.push_back({"skill", Finding::State::note, problem});
  std::vector<std::string> names;
  for (const Skill& skill : shelf.all()) names.push_back(skill.name);
  if (!names.empty()) findings.push_back({"skills", Finding::State::good, join(names, ", ")});
}

std::vector<Finding> examine() {
  std::vector<Finding> findings;
  const SystemCapabilities system = probe_capabilities();
  for (const CapabilityLine& line : explain(system)) {
    const bool must_be = line.name == "proc";
    const auto otherwise = must_be ? Finding::State::bad : Finding::State::note;
    findings.push_back({std::string(line.name), line.is_good ? Finding::State::good : otherwise, line.text});
  }
  findings.push_back({"out of reach", Finding::State::note,
                      "what a service is asked to start (systemd-run, at, docker) is not deft's to end"});
  findings.push_back(program("bash", "/bin/bash", Finding::State::bad, "commands run under it", "bash"));
  findings.push_back(
      program("pdf", "/usr/bin/pdftotext", Finding::State::note, "PDF files cannot be read", "poppler-utils"));
  findings.push_back(temporary_folder());
  findings.push_back(sessions());
  findings.push_back(profile());
  findings.push_back(secrets(system.is_root));
  examine_settings(findings);
  examine_agent_types(findings);
  examine_skills(findings);
  return findings;
}

void print_for_people(const std::vector<Finding>& findings) {
  const bool colours = ::isatty(STDOUT_FILENO) == 1 && !std::getenv("NO_COLOR");
  for (const Finding& finding : findings) {
    const char* colour = finding.state == Finding::State::good   ? "\x1B[32m"
                         : finding.state == Finding::State::note ? "\x1B[33m"
                                                                 : "\x1B[31m";
    std::printf("%s%-4s%s  %-18s  %s\n", colours ? colour : "", std::string(to_string(finding.state)).c_str(),
                colours ? "\x1B[0m" : "", finding.name.c_str(), safe_display(finding.text).c_str());
  }
}

}  // namespace

int run_doctor(int argc, const char* const* argv) {
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help" || option == "-h") return std::fputs(kHelp, stdout), 0;
    if (option != "--json") {
      std::fprintf(stderr, "deft doctor: unknown option %s; see deft doctor --help\n", argv[i]);
      return 2;
    }
    json = true;
  }
  const std::vector<Finding> findings = examine();
  bool healthy = true;
  JsonArray list;
  for (const Finding& finding : findings) {
    healthy = healthy && finding.state != Finding::State::bad;
    list.push_back(JsonObject{{"name", finding.name}, {"state", to_string(finding.state)}, {"text", finding.text}});
  }
  if (json) {
    std::printf("%s\n", to_json(JsonObject{{"healthy", healthy}, {"findings", std::move(list)}}).c_str());
  } else {
    print_for_people(findings);
  }
  return healthy ? 0 : 1;
}

}  // namespace deft
