#include "deft/tools/agent_tool.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "deft/base/text.h"

// A call in the foreground only waits: its subagent starts in wait_for(), and run() tells what became of it.

namespace deft {
namespace {

constexpr std::size_t kDescriptionShownCharacters = 60;
constexpr std::size_t kReportShownWholeBytesMax = 20'000;

std::string text_at(const Json& input, std::string_view key) {
  return std::string(find_string(input, key).value_or(""));
}

AgentRequest request_of(const Json& input) {
  AgentRequest request{.description = text_at(input, "description"),
                       .prompt = text_at(input, "prompt"),
                       .type = text_at(input, "subagent_type"),
                       .model = text_at(input, "model"),
                       .effort = text_at(input, "effort"),
                       .name = text_at(input, "name"),
                       .resume = text_at(input, "resume"),
                       .background = find_bool(input, "run_in_background"),
                       .in_worktree = text_at(input, "isolation") == "worktree"};
  if (request.type.empty()) request.type = kDefaultAgentType;
  if (const auto turns = find_int(input, "max_turns")) request.turns_max = static_cast<std::size_t>(*turns);
  if (const auto* tools = find_array(input, "allowed_tools")) {
    request.allowed_tools.emplace();
    for (const Json& tool : *tools) request.allowed_tools->emplace_back(view(tool.get_string()));
  }
  return request;
}

JsonObject usage_json(const TokenUse& use) {
  return {{"input_tokens", use.input},
          {"output_tokens", use.output},
          {"cache_read_input_tokens", use.cache_read},
          {"cache_creation_input_tokens", use.cache_write},
          // Not counted for subagents, but callers expect them.
          {"server_tool_use", Json()},
          {"service_tier", Json()},
          {"cache_creation", Json()}};
}

class AgentTool final : public Tool {
 public:
  explicit AgentTool(AgentLauncher& launcher) : launcher_(launcher) {}
  const ToolSpec& spec() const override { return spec_; }
  std::optional<SharedText> description_now(const SessionState&) const override {
    const std::uint64_t version = launcher_.types_version();
    {
      const std::lock_guard lock(mutex_);
      if (description_ && described_version_ == version) return description_;
    }
    std::string text = spec_.description + "\nTypes (subagent_type):";
    for (const AgentType& type : launcher_.types_for({})) text += "\n- " + type.name + ": " + type.description;
    const std::lock_guard lock(mutex_);
    description_ = SharedText(std::move(text));
    described_version_ = version;
    return description_;
  }

  // Whatever the subagent does is judged by itself; but a checkout of its own is something on the disk.
  bool is_read_only(const Json& input, const SessionView&) const override {
    return !launcher_.needs_worktree(request_of(input));
  }
  bool is_concurrency_safe(const Json&, const SessionView&) const override { return true; }
  bool makes_calls() const override { return true; }
  std::optional<OwnVerdict> check_permission(const Json&, const SessionView&) const override {
    return OwnVerdict{.verdict = Verdict::allow, .reason = "whatever the subagent does is judged by itself"};
  }
  bool matches_rule(const Json& input, std::string_view specifier) const override {
    return request_of(input).type == specifier;
  }
  // Rules are about the type, so it is said even if the model leaves it out or only names an agent that shall go on.
  std::optional<Json> completed(const Json& input, ToolIo&) const override {
    const auto resumed = find_string(input, "resume");
    const auto type = resumed && !resumed->empty() ? launcher_.type_of(*resumed) : std::nullopt;
    const std::string right = type.value_or(request_of(input).type);
    if (find_string(input, "subagent_type") == right) return std::nullopt;
    Json whole = input;
    whole.as_object()["subagent_type"] = right;
    return whole;
  }
  Result<void> validate(const Json& input, ToolIo& io) const override { return launcher_.check(request_of(input), io); }

  std::optional<Wait> wait_for(const Json& input, ToolIo& io) const override {
    const AgentRequest request = request_of(input);
    if (launcher_.runs_in_background(request)) return std::nullopt;
    auto started = launcher_.start(request, io);
    const std::lock_guard lock(mutex_);
    const auto& agent = started_.insert_or_assign(std::string(io.call_id), std::move(started)).first->second;
    if (!agent) return std::nullopt;  // run() tells why
    return Wait{.watch = [&launcher = launcher_,
                          id = *agent](std::function<void()> end_wait) { launcher.when_free(id, std::move(end_wait)); },
                .obeys_stop = true};
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const AgentRequest request = request_of(input);
    auto agent = take_started(io.call_id);
    const bool waited = agent.has_value();
    if (!waited) agent = launcher_.start(request, io);
    if (!*agent) return std::unexpected(agent->error());
    const std::string& id = **agent;
    if (!waited) return launched(id, request);
    auto report = launcher_.take_report(id);
    return report ? told(id, request, std::move(*report)) : launched(id, request);
  }

  std::string classifier_text(const Json& input) const override {
    const AgentRequest request = request_of(input);
    return request.type + ": " + request.prompt;
  }
  std::string render_use(const Json& input) const override {
    const AgentRequest request = request_of(input);
    return request.type + "(" + one_line(request.description, kDescriptionShownCharacters) + ")";
  }

 private:
  std::optional<Result<std::string>> take_started(std::string_view call_id) {
    const std::lock_guard lock(mutex_);
    const auto found = started_.extract(std::string(call_id));
    if (!found) return std::nullopt;
    return std::move(found.mapped());
  }

  ToolResult launched(const std::string& id, const AgentRequest& request) const {
    const std::string file = launcher_.output_file(id);
    return {.text = "It works in the background; its id is " + id +
                    ". You will be told when it is done, so go on with something else and do not wait for it in a "
                    "loop. What it has said so far is in " +
                    file,
            .details = JsonObject{{"status", "async_launched"},
                                  {"isAsync", true},
                                  {"agentId", id},
                                  {"description", request.description},
                                  {"prompt", request.prompt},
                                  {"outputFile", file},
                                  {"canReadOutputFile", true}}};
  }

  static Result<ToolResult> told(const std::string& id, const AgentRequest& request, AgentReport report) {
    const std::string go_on = "(agent id " + id + ": give it as resume to go on with this agent)";
    const std::string how_to_go_on = "\n\n" + go_on;
    if (report.text.find_first_not_of(" \t\r\n") == std::string::npos) report.text.clear();
    switch (report.status) {
      case AgentReport::Status::completed: break;
      case AgentReport::Status::cut_short:
        report.text += (report.text.empty() ? "" : "\n\n") + ("The agent did not come to its end: " + report.problem);
        break;
      case AgentReport::Status::failed: return fail(Errc::failed, "The agent failed: " + report.problem + how_to_go_on);
      case AgentReport::Status::stopped:
        return fail(
            Errc::cancelled,
            (report.text.empty() ? "It had said nothing yet." : "It had said by then:\n" + report.text) + how_to_go_on);
    }
    if (report.text.empty()) report.text = "The agent ended without a word.";
    JsonObject details{
        {"status", "completed"},
        {"agentId", id},
        {"agentType", report.type},
        {"content", JsonArray{JsonObject{{"type", "text"}, {"text", report.text}}}},
        {"resolvedModel", report.model},
        {"totalToolUseCount", report.calls},
        {"totalDurationMs", std::chrono::duration_cast<std::chrono::milliseconds>(report.duration).count()},
        {"totalTokens", report.use.total()},
        {"usage", usage_json(report.use)},
        {"prompt", request.prompt}};
    std::string about;
    if (!report.worktree.empty()) {
      details["worktreePath"] = report.worktree;
      details["worktreeBranch"] = report.worktree_branch;
      about =
          "Its changes are in the worktree " + report.worktree + ", on the branch " + report.worktree_branch + ".\n\n";
    }
    about += go_on;
    // Of a long report only the beginning may be shown.
    const bool is_long = report.text.size() > kReportShownWholeBytesMax;
    if (is_long && !report.problem.empty()) about += "\n\nThe agent did not come to its end: " + report.problem;
    return ToolResult{.text = is_long ? about + "\n\n" + report.text : report.text + "\n\n" + about,
                      .details = std::move(details)};
  }

  AgentLauncher& launcher_;
  mutable std::mutex mutex_;
  // By call, from wait_for() to run(); under mutex_.
  mutable std::map<std::string, Result<std::string>> started_;
  mutable std::optional<SharedText> description_;  // with the types of this version; under mutex_
  mutable std::uint64_t described_version_ = 0;    // under mutex_
  const ToolSpec spec_{
      .name = "Agent",
      .aliases = {"Task"},
      .description =
          "Hands a task to a subagent that works on it by itself, with a context and tools of its own, and gives back "
          "its report.\n"
          "- Good for searches that may take many tries, and for pieces of work that need nothing of this "
          "conversation. "
          "Several calls in one message work at the same time.\n"
          "- Not for reading a file whose path you know, nor for one search: that is faster without.\n"
          "- It knows nothing but its prompt: say what you want to know or have done, what you know already, and "
          "whether it shall change anything.\n"
          "- The user does not see its report: tell them what matters. Check what it claims to have done.\n"
          "- run_in_background: you are told when it is done. resume: goes on with an earlier agent, which remembers "
          "its work; prompt is then what you say next.",
      .input_schema =
          JsonObject{
              {"type", "object"},
              {"properties",
               {{"description",
                 {{"type", "string"}, {"minLength", 1}, {"description", "The task in three to five words."}}},
                {"prompt",
                 {{"type", "string"},
                  {"minLength", 1},
                  {"maxLength", kAgentPromptBytesMax},
                  {"description", "The task."}}},
                {"subagent_type", {{"type", "string"}, {"description", "Which type; general-purpose if not given."}}},
                {"model", {{"type", "string"}, {"description", "sonnet, opus, haiku or the name of a model."}}},
                {"effort", {{"type", "string"}, {"enum", JsonArray{"low", "medium", "high", "xhigh", "max"}}}},
                {"run_in_background", {{"type", "boolean"}, {"description", "Do not wait for it."}}},
                {"resume", {{"type", "string"}, {"description", "Id of an earlier agent that goes on."}}},
                {"max_turns",
                 {{"type", "integer"},
                  {"minimum", 1},
                  {"maximum", kAgentRequestsMax},
                  {"description", "How many times it may ask its model at most."}}},
                {"allowed_tools",
                 {{"type", "array"},
                  {"items", {{"type", "string"}}},
                  {"description", "Only these of the type's tools."}}},
                {"name", {{"type", "string"}, {"description", "By which SendMessage reaches it."}}},
                {"isolation",
                 {{"type", "string"},
                  {"enum", JsonArray{"worktree"}},
                  {"description", "worktree: it works in a copy of the repository, on a branch of its own."}}},
                {"team_name", {{"type", "string"}, {"description", "Without effect."}}},
                {"mode", {{"type", "string"}, {"description", "Without effect."}}}}},
              {"required", JsonArray{"description", "prompt"}},
              {"additionalProperties", false}},
      .search_hint = "subagent delegate parallel research task worker",
      .on_interrupt = OnInterrupt::cancel,
      .result_characters_max = 50'000};
};

}  // namespace

std::shared_ptr<Tool> make_agent_tool(AgentLauncher& launcher) { return std::make_shared<AgentTool>(launcher); }

}  // namespace deft
