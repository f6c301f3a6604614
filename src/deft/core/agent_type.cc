#include "deft/core/agent_type.h"

#include <algorithm>

#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::string_view kNeverInSubagents =
    "AskUserQuestion EnterPlanMode EndConversation ScheduleWakeup TaskOutput WaitForMcpServers Workflow "
    "StructuredOutput TeamCreate TeamDelete";
constexpr std::string_view kInBackground =
    "Read Grep Glob Bash PowerShell Edit Write NotebookEdit ApplyPatch WebFetch WebSearch TodoWrite Skill ToolSearch "
    "EnterWorktree ExitWorktree Monitor TaskStop SendMessage LSP";
constexpr std::string_view kForMemory = "Read Write Edit";
constexpr std::string_view kMcpPrefix = "mcp__";

constexpr std::string_view kCommonWords =
    "You work on one task for another agent, which hears nothing of you but your last message. Nobody answers "
    "questions: where something is unclear, take the most sensible reading and say so. ";
constexpr std::string_view kReportWords =
    "Your last message is the report: what you found or did, exactly, with absolute paths and line numbers where they "
    "matter, what you could not do and why. No greeting, no plan for later.";

std::string prompt_of(std::string_view words) {
  return std::string(kCommonWords) + std::string(words) + std::string(kReportWords);
}

std::vector<AgentType> make_builtin_types() {
  const std::vector<std::string> reading = {"Read",      "Grep",       "Glob",  "LSP",       "Bash",      "WebFetch",
                                            "WebSearch", "ToolSearch", "Sleep", "TodoWrite", "PowerShell"};
  return {
      {.name = std::string(kDefaultAgentType),
       .description = "Searches, reads and changes what a task of several steps needs. Has all tools.",
       .prompt = prompt_of("Do the task completely, and nothing beside it: no files that nobody asked for, no changes "
                           "elsewhere. Search broadly when you don't know where something is, and check what you "
                           "changed before you report. ")},
      {.name = "Explore",
       .description =
           "Finds its way in a code base: where something is, how it works, what uses it. Only reads. Say how "
           "thorough it shall be.",
       .prompt = prompt_of("You only read: nothing that changes anything is allowed to you. Search with Grep and Glob, "
                           "several at once, read what looks right, and follow names to their definitions and uses. "),
       .tools = reading,
       .only_reads = true},
      {.name = "Plan",
       .description =
           "Works out how something is best built or changed: reads what is there, weighs ways to do it, and "
           "gives the steps with the files they touch. Only reads.",
       .prompt =
           prompt_of("You only read: nothing that changes anything is allowed to you. Understand what is there and "
                     "how similar things are done, then lay out the way that fits best: its steps in order, the "
                     "files and functions each touches, what could go wrong, and how to see that it works. "),
       .tools = reading,
       .only_reads = true},
      {.name = "Bash",
       .description = "Runs commands and tells what came of them: builds, tests, git, anything on the command line.",
       .prompt = prompt_of("You have a shell and nothing else. Run what the task asks for, quote paths, and look at "
                           "each result before you go on. "),
       .tools = std::vector<std::string>{"Bash", "PowerShell"}},
  };
}

bool is_among(const std::vector<std::string>& entries, const ToolName& tool) {
  return std::ranges::any_of(entries, [&](const std::string& entry) { return names_tool(entry, tool); });
}

bool names_server_tool(std::string_view entry, const ToolName& tool) {
  const McpToolName& mcp = *tool.mcp;
  if (entry == "*" || entry == tool.name || entry == mcp.full() || entry == mcp.plain()) return true;
  return entry == "mcp__*" || plain_mcp_word(entry) == mcp.server_word() || means_mcp_tool(entry, mcp);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

}  // namespace

const std::vector<AgentType>& builtin_agent_types() {
  static const std::vector<AgentType> types = make_builtin_types();
  return types;
}

bool names_tool(std::string_view entry, const ToolName& tool) {
  if (tool.mcp) return names_server_tool(entry, tool);
  if (entry == "*" || entry == tool.name) return true;
  if (std::ranges::find(tool.aliases, entry) != tool.aliases.end()) return true;
  if (entry == "Task" && tool.name == "Agent") return true;
  if (!entry.starts_with(kMcpPrefix) || !tool.name.starts_with(entry.substr(0, entry.find('*')))) return false;
  if (entry.ends_with("__*")) return true;
  // A whole server: its name ends there.
  return entry.find('*') == std::string_view::npos && tool.name.substr(entry.size()).starts_with("__");
}

ToolEntries tool_entries(const std::vector<std::string>& list) {
  ToolEntries entries;
  for (const std::string& entry : list) {
    const auto open = entry.find('(');
    if (open == std::string::npos) {
      entries.names.push_back(entry);
      continue;
    }
    const std::string_view name = std::string_view(entry).substr(0, open);
    if ((name != "Agent" && name != "Task") || !entry.ends_with(')')) {
      entries.left_out.push_back(entry);
      continue;
    }
    entries.names.emplace_back("Agent");
    if (!entries.agents) entries.agents.emplace();
    std::string_view inside = std::string_view(entry).substr(open + 1, entry.size() - open - 2);
    while (!inside.empty()) {
      const auto comma = std::min(inside.find(','), inside.size());
      if (const auto one = trimmed(inside.substr(0, comma)); !one.empty()) entries.agents->emplace_back(one);
      inside.remove_prefix(std::min(comma + 1, inside.size()));
    }
  }
  return entries;
}

// Who has a memory can keep it.
bool has_tool(const AgentType& type, const ToolName& tool) {
  if (is_among(type.disallowed_tools, tool)) return false;
  if (!type.tools || is_among(*type.tools, tool)) return true;
  return type.memory != AgentType::Memory::none && is_among_words(tool.name, kForMemory);
}

bool may_have_tool(const AgentType& type, const ToolName& tool, const SubagentPlace& place) {
  if (is_among_words(tool.name, kNeverInSubagents)) return false;
  if (tool.name == "ExitPlanMode" && !place.plans) return false;
  if (tool.name == "Agent" && place.depth >= kAgentDepthMax) return false;
  const bool is_mcp = tool.mcp || tool.name.starts_with(kMcpPrefix);
  if (place.background && !is_mcp && !is_among_words(tool.name, kInBackground)) return false;
  return has_tool(type, tool);
}

Mode subagent_mode(Mode parent, std::optional<Mode> wanted) {
  if (!wanted || *wanted == Mode::bypass) return parent;
  switch (parent) {
    case Mode::normal: return *wanted;
    case Mode::dont_ask: return *wanted == Mode::plan ? Mode::plan : parent;
    case Mode::accept_edits:
    case Mode::plan:
    case Mode::auto_:
    case Mode::bypass: return parent;
  }
  return parent;
}

}  // namespace deft
