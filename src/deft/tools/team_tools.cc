#include "deft/tools/team_tools.h"

#include <utility>

#include "deft/base/text.h"

namespace deft {
namespace {

std::string text_at(const Json& input, std::string_view key) {
  return std::string(find_string(input, key).value_or(""));
}

JsonArray to_array(const std::vector<std::string>& texts) { return JsonArray(texts.begin(), texts.end()); }

// All three touch nothing but the session, and allow themselves in every mode.
class TeamTool : public Tool {
 public:
  TeamTool(AgentPost& post, ToolSpec spec) : post_(post), spec_(std::move(spec)) {}
  const ToolSpec& spec() const override { return spec_; }
  bool is_session_only(const Json&) const override { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override {
    return Footprint::uses_session(Footprint::Use::write);
  }
  std::optional<OwnVerdict> check_permission(const Json&, const SessionView&) const override {
    return OwnVerdict{.verdict = Verdict::allow, .reason = "it stays among the session's own agents"};
  }

 protected:
  AgentPost& post_;

 private:
  const ToolSpec spec_;
};

class SendMessageTool final : public TeamTool {
 public:
  explicit SendMessageTool(AgentPost& post)
      : TeamTool(
            post,
            {.name = "SendMessage",
             .description =
                 "Sends a message to another agent of this session, which reads it before its next step; one that is "
                 "idle wakes up for it.\n"
                 "- to: the name or id of an agent, team-lead for the main agent, or * for everybody else (rarely "
                 "needed).\n"
                 "- What you write outside of this tool is not seen by the others.\n"
                 "- An agent that has ended reads nothing any more: go on with it by Agent and resume.",
             .input_schema =
                 JsonObject{{"type", "object"},
                            {"properties",
                             {{"to", {{"type", "string"}, {"minLength", 1}, {"description", "Whom to tell."}}},
                              {"message",
                               {{"type", "string"},
                                {"minLength", 1},
                                {"maxLength", kLetterBytesMax},
                                {"description", "What to tell."}}},
                              {"summary",
                               {{"type", "string"},
                                {"maxLength", kLetterSummaryCharactersMax},
                                {"description", "The same in five to ten words, for people."}}},
                              {"notify_when_idle",
                               {{"type", "boolean"},
                                {"description", "Be told when it has done its work and has nothing more to do."}}}}},
                            {"required", JsonArray{"to", "message"}},
                            {"additionalProperties", false}},
             .search_hint = "tell talk agent teammate broadcast reply"}) {}

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const Letter letter{.to = text_at(input, "to"),
                        .text = text_at(input, "message"),
                        .summary = text_at(input, "summary"),
                        .notify_when_idle = find_bool(input, "notify_when_idle").value_or(false)};
    auto reached = post_.send(io.agent_id, letter);
    if (!reached) return std::unexpected(reached.error());
    return ToolResult{
        .text = "Sent to " + join(*reached, ", ") + ".",
        .details = JsonObject{{"success", true}, {"recipients", to_array(*reached)}, {"summary", letter.summary}}};
  }
  std::string render_use(const Json& input) const override {
    const std::string about = text_at(input, find(input, "summary") ? "summary" : "message");
    return "SendMessage(" + one_line(text_at(input, "to"), 64) + ": " + one_line(about, 60) + ")";
  }
};

class TeamCreateTool final : public TeamTool {
 public:
  explicit TeamCreateTool(AgentPost& post)
      : TeamTool(
            post,
            {.name = "TeamCreate",
             .description =
                 "Makes a team: from now on every agent that is started with a name is a member of it. Members "
                 "work in the background, go idle instead of ending, wake up for messages (SendMessage) and "
                 "share the task list. You are told when one of them is idle. For work that several agents "
                 "must talk about; separate pieces of work need no team.",
             .input_schema = JsonObject{{"type", "object"},
                                        {"properties",
                                         {{"team_name",
                                           {{"type", "string"},
                                            {"minLength", 1},
                                            {"maxLength", kTeamNameBytesMax},
                                            {"description", "What the team is called."}}},
                                          {"description", {{"type", "string"}, {"description", "What it is for."}}}}},
                                        {"required", JsonArray{"team_name"}},
                                        {"additionalProperties", false}},
             .search_hint = "several agents together swarm group",
             .should_defer = true}) {}

  // It is said to people and models, among other words.
  Result<void> validate(const Json& input, ToolIo&) const override {
    const std::string name = text_at(input, "team_name");
    if (one_line(name, kTeamNameBytesMax) == name && name.size() <= kTeamNameBytesMax) return {};
    return fail(Errc::invalid_input, "A team's name is one line of at most " + std::to_string(kTeamNameBytesMax) +
                                         " bytes without control characters.");
  }
  std::string render_use(const Json& input) const override {
    return "TeamCreate(" + one_line(text_at(input, "team_name"), kTeamNameBytesMax) + ")";
  }

  Result<ToolResult> run(const Json& input, ToolIo&) override {
    const std::string name = text_at(input, "team_name");
    if (auto made = post_.create_team(name); !made) return std::unexpected(made.error());
    return ToolResult{
        .text = "The team " + name + " is there, and you lead it. Start its members with Agent, each with a name.",
        .details = JsonObject{{"team_name", name}, {"lead_agent_id", kLeaderName}}};
  }
};

class TeamDeleteTool final : public TeamTool {
 public:
  explicit TeamDeleteTool(AgentPost& post)
      : TeamTool(
            post,
            {.name = "TeamDelete",
             .description =
                 "Ends the team: its idle members end. Where some are still at work it does nothing and names "
                 "them: let them finish, or end them too with force.",
             .input_schema =
                 JsonObject{{"type", "object"},
                            {"properties",
                             {{"force", {{"type", "boolean"}, {"description", "End also those that are at work."}}}}},
                            {"additionalProperties", false}},
             .search_hint = "end stop several agents team shutdown",
             .should_defer = true}) {}

  Result<ToolResult> run(const Json& input, ToolIo&) override {
    auto ended = post_.delete_team(find_bool(input, "force").value_or(false));
    if (!ended) return std::unexpected(ended.error());
    const std::string who = ended->empty() ? "It had no members." : "Ended: " + join(*ended, ", ") + ".";
    return ToolResult{.text = "The team is gone. " + who,
                      .details = JsonObject{{"success", true}, {"ended", to_array(*ended)}}};
  }
};

}  // namespace

std::shared_ptr<Tool> make_send_message_tool(AgentPost& post) { return std::make_shared<SendMessageTool>(post); }
std::shared_ptr<Tool> make_team_create_tool(AgentPost& post) { return std::make_shared<TeamCreateTool>(post); }
std::shared_ptr<Tool> make_team_delete_tool(AgentPost& post) { return std::make_shared<TeamDeleteTool>(post); }

}  // namespace deft
