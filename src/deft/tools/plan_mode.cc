#include "deft/tools/plan_mode.h"

#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/os/files.h"

namespace deft {
namespace {

constexpr std::size_t kPlanBytesMax = std::size_t{1} << 20;
constexpr std::size_t kPromptsShownMax = 20;
constexpr std::size_t kPromptShownCharactersMax = 100;

std::string plan_file_of(const ToolIo& io) { return plan_file_in(io.session_folder, io.agent_id); }

class EnterPlanModeTool final : public Tool {
 public:
  const ToolSpec& spec() const override { return spec_; }
  bool is_session_only(const Json&) const override { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override { return Footprint::everything(); }

  Result<ToolResult> run(const Json&, ToolIo& io) override {
    const bool plans_already = io.session.mode() == Mode::plan;
    std::string message = plans_already ? "Plan mode was on already. " : "Plan mode is on. ";
    message += "Read and search as much as you need; nothing may be changed but the plan, which you write to " +
               plan_file_of(io) + ". When it is complete, call ExitPlanMode to have it approved.";
    ToolResult result{.text = message, .details = JsonObject{{"message", message}}};
    result.modifiers.emplace_back(ModeChanged{ModeChanged::How::enter_plan});
    return result;
  }

 private:
  const ToolSpec spec_{
      .name = "EnterPlanMode",
      .description =
          "Begins planning: until the user has approved the plan, nothing changes but the plan file. Use it "
          "before work that touches many files or could be done in several ways; not for small, clear tasks.",
      .input_schema = JsonObject{{"type", "object"}, {"properties", JsonObject{}}, {"additionalProperties", false}},
      .search_hint = "plan design approach before coding"};
};

class ExitPlanModeTool final : public Tool {
 public:
  const ToolSpec& spec() const override { return spec_; }
  bool is_session_only(const Json&) const override { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override { return Footprint::everything(); }

  std::optional<OwnVerdict> check_permission(const Json&, const SessionView&) const override {
    return OwnVerdict{Verdict::ask, "the user approves the plan", true};
  }

  Result<void> validate(const Json&, ToolIo& io) const override {
    if (io.session.mode() != Mode::plan) {
      return fail(Errc::invalid_input, "There is no plan mode to leave. Call EnterPlanMode first, or simply begin.");
    }
    if (const auto plan = read_plan(io); !plan || plan->empty()) {
      return fail(Errc::not_found, "There is no plan yet: write it to " + plan_file_of(io) + " first.");
    }
    return {};
  }

  // People approve what stands in the file, whatever the model says about it. What they made of it is kept.
  std::optional<Json> completed(const Json& input, ToolIo& io) const override {
    JsonObject whole = input.get_object();
    if (!io.approved) {
      const auto plan = read_plan(io);
      if (!plan) return std::nullopt;
      whole["plan"] = *plan;
    }
    whole["planFilePath"] = plan_file_of(io);
    return whole;
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const std::string path = plan_file_of(io);
    const auto written = io.os.files.read(path, kPlanBytesMax);
    if (!written) return std::unexpected(written.error());
    const std::string plan(find_string(input, "plan").value_or(written->bytes));
    const bool was_edited = plan != written->bytes;
    if (was_edited) {
      const auto replaced = io.os.files.replace(path, plan, content_id(written->bytes));
      if (!replaced) return std::unexpected(replaced.error());
    }
    ToolResult result{
        .details = JsonObject{
            {"plan", plan}, {"isAgent", !io.agent_id.empty()}, {"filePath", path}, {"planWasEdited", was_edited}}};
    if (!io.agent_id.empty()) {
      // Whoever it works for was asked before this, under the name of the call.
      result.details.get_object()["awaitingLeaderApproval"] = false;
      result.details.get_object()["requestId"] = io.call_id;
    }
    result.text = "The user has approved the plan" + std::string(was_edited ? ", with changes of their own" : "") +
                  ". Plan mode is over; begin with the work. The plan is in " + path + ":\n\n" + plan;
    result.modifiers.emplace_back(ModeChanged{ModeChanged::How::leave_plan});
    return result;
  }

  // What the plan would like to be allowed is a part of what people look at.
  std::string render_use(const Json& input) const override {
    std::vector<std::string> wishes;
    if (const JsonArray* prompts = find_array(input, "allowedPrompts")) {
      for (const Json& prompt : *prompts) {
        const auto tool = find_string(prompt, "tool").value_or("");
        const auto text = prompt.is_string() ? std::optional(view(prompt.get_string())) : find_string(prompt, "prompt");
        if (!text || wishes.size() == kPromptsShownMax) continue;
        wishes.push_back((tool.empty() ? "" : std::string(tool) + ": ") + one_line(*text, kPromptShownCharactersMax));
      }
    }
    return wishes.empty() ? "ExitPlanMode" : "ExitPlanMode(would like to: " + join(wishes, "; ") + ")";
  }

 private:
  static std::optional<std::string> read_plan(ToolIo& io) {
    auto content = io.os.files.read(plan_file_of(io), kPlanBytesMax);
    if (!content) return std::nullopt;
    return std::move(content->bytes);
  }

  // allowedPrompts would be grants by meaning, which only a model could judge: they are shown and grant nothing.
  const ToolSpec spec_{
      .name = "ExitPlanMode",
      .description =
          "Ends planning: shows the plan file to the user for approval. Call it when the plan is complete and written "
          "to the plan file, and only after EnterPlanMode. If it is not approved, what the user says comes back: "
          "change "
          "the plan and call it again. Ask open questions with AskUserQuestion before.",
      .input_schema =
          JsonObject{
              {"type", "object"},
              {"properties",
               {{"plan", {{"type", "string"}, {"description", "Filled in from the plan file; leave it out."}}},
                {"planFilePath", {{"type", "string"}}},
                {"allowedPrompts", {{"type", "array"}, {"description", "Shown to the user; grants nothing."}}}}}},
      .search_hint = "plan approval finish planning"};
};

}  // namespace

std::string plan_file_in(std::string_view session_folder, std::string_view agent_id) {
  const std::string name = agent_id.empty() ? "plan" : "plan-" + safe_file_name(agent_id);
  return std::string(session_folder) + "/" + name + ".md";
}

std::shared_ptr<Tool> make_enter_plan_mode_tool() { return std::make_shared<EnterPlanModeTool>(); }
std::shared_ptr<Tool> make_exit_plan_mode_tool() { return std::make_shared<ExitPlanModeTool>(); }

}  // namespace deft
