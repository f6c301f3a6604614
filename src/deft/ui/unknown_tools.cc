#include "deft/ui/unknown_tools.h"

#include <algorithm>
#include <string_view>

#include "deft/base/json.h"
#include "deft/base/text.h"
#include "deft/ui/meant_word.h"

namespace deft {
namespace {

// Settings are shared with other programs: a rule about a tool that only those have is no slip.
constexpr std::string_view kToolsElsewhere =
    "Advisor AgentOutputTool Artifact BashOutput ClaudeDesign EndConversation Glob Grep KillBash KillShell LS "
    "ListAgents "
    "ListMcpResourcesTool MultiEdit NotebookRead OfferChromeSetup Projects ProposeGoal PushNotification "
    "ReadMcpResourceDirTool "
    "ReadMcpResourceTool ReadNotifications RefreshMcpTools ReportFindings SendFeedback SendUserFile SendUserMessage "
    "SetGoal "
    "ShareOnboardingGuide ShowOnboardingRolePicker SlashCommand StructuredOutput SubagentHandback TaskOutput "
    "WaitForMcpServers Workflow";

bool is_slip(std::string_view tool, const std::vector<std::string>& known) {
  if (tool.empty() || tool.find_first_of("_*") != std::string_view::npos) return false;
  return std::ranges::find(known, tool) == known.end() && !is_among_words(tool, kToolsElsewhere);
}

std::string no_such_tool(std::string_view tool, const std::vector<std::string>& known) {
  return "there is no tool " + json_quote(tool.substr(0, 60)) + meant_word(tool, known);
}

}  // namespace

std::vector<std::string> notices_of_unknown_tools(const std::vector<PermissionSource>& sources,
                                                  const std::optional<std::vector<std::string>>& chosen,
                                                  const std::vector<std::string>& known) {
  std::vector<std::string> notices;
  for (const PermissionSource& source : sources) {
    for (const auto* rules : {&source.rules.deny, &source.rules.ask}) {
      for (const Rule& rule : *rules) {
        if (!is_slip(rule.tool, known)) continue;
        notices.push_back(source.origin + ": the rule " + json_quote(rule.text.substr(0, 60)) +
                          " is about nothing: " + no_such_tool(rule.tool, known));
      }
    }
  }
  for (const std::string& tool : chosen.value_or(std::vector<std::string>())) {
    if (is_slip(tool, known)) notices.push_back("--tools: " + no_such_tool(tool, known));
  }
  return notices;
}

}  // namespace deft
