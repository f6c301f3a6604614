#include "deft/tools/plan_mode.h"

#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/os/files.h"
#include "deft/shell/hidden_characters.h"

namespace deft {
namespace {

constexpr std::size_t kPlanBytesMax = std::size_t{1} << 20;
constexpr std::size_t kPromptsShownMax = 20;
constexpr std::size_t kPromptShownCharactersMax = 100;

// What the plan would like to be allowed, as it is shown. What cannot be shown whole is not granted.
struct Wish {
  MeaningGrant grant;
  std::string shown;
  bool may_be_granted = false;
};

std::vector<Wish> wishes_of(const Json& input) {
  std::vector<Wish> wishes;
  const JsonArray* prompts = find_array(input, "allowedPrompts");
  if (!prompts) return wishes;
  for (const Json& prompt : *prompts) {
    const std::string tool(find_string(prompt, "tool").value_or(""));
    const auto text = prompt.is_string() ? std::optional(view(prompt.get_string())) : find_string(prompt, "prompt");
    if (!text || text->empty()) continue;
    if (wishes.size() == kPromptsShownMax) break;
    const std::string shown = one_line(*text, kPromptShownCharactersMax);
    wishes.push_back(
        {.grant = {tool, std::string(*text)},
         .shown = (tool.empty() ? "" : tool + ": ") + shown,
         .may_be_granted = is_granted_by_meaning(tool) && shown == *text && !shell::find_hidden_character(*text)});
  }
  return wishes;
}

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
  explicit ExitPlanModeTool(bool grants_by_meaning) : grants_by_meaning_(grants_by_meaning) {}
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
    if (!io.agent_id.empty()) {
      whole["awaitingLeaderApproval"] = true;
      whole["requestId"] = io.call_id;
    }
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
    const bool plans_on = io.session.mode_after_plan() == Mode::plan;
    result.text = "The user has approved the plan" + std::string(was_edited ? ", with changes of their own" : "") +
                  ". " +
                  (plans_on ? "Whoever you work for still plans, so nothing may be changed yet: report it as it is"
                            : "Plan mode is over; begin with the work") +
                  ". The plan is in " + path + ":\n\n" + plan;
    result.modifiers.emplace_back(ModeChanged{ModeChanged::How::leave_plan});
    if (grants_by_meaning_) grant_wishes(input, result);
    return result;
  }

  // What the plan would like to be allowed is a part of what people look at.
  std::string render_use(const Json& input) const override {
    std::vector<std::string> granted, others;
    for (const Wish& wish : wishes_of(input)) {
      (grants_by_meaning_ && wish.may_be_granted ? granted : others).push_back(wish.shown);
    }
    std::vector<std::string> parts;
    if (!granted.empty()) parts.push_back("allows in this session: " + join(granted, "; "));
    if (!others.empty()) parts.push_back("would like to: " + join(others, "; "));
    return parts.empty() ? "ExitPlanMode" : "ExitPlanMode(" + join(parts, " | ") + ")";
  }

 private:
  static void grant_wishes(const Json& input, ToolResult& result) {
    MeaningsGranted granted;
    for (Wish& wish : wishes_of(input)) {
      if (wish.may_be_granted) granted.grants.push_back(std::move(wish.grant));
    }
    if (granted.grants.empty()) return;
    result.text += "\n\nAlso approved for this session, as far as a command does just that:";
    for (const MeaningGrant& grant : granted.grants) result.text += "\n- " + grant.tool + ": " + grant.text;
    result.modifiers.emplace_back(std::move(granted));
  }

  static std::optional<std::string> read_plan(ToolIo& io) {
    auto content = io.os.files.read(plan_file_of(io), kPlanBytesMax);
    if (!content) return std::nullopt;
    return std::move(content->bytes);
  }

  const bool grants_by_meaning_;
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
                {"allowedPrompts",
                 {{"type", "array"},
                  {"description", grants_by_meaning_
                                      ? "What commands will be needed, in words, each with its shell: {\"tool\": "
                                        "\"Bash\", \"prompt\": \"run the tests\"}. Short and narrow. With the plan "
                                        "the user approves them for this session."
                                      : "Shown to the user; grants nothing."}}}}}},
      .search_hint = "plan approval finish planning"};
};

}  // namespace

std::string plan_file_in(std::string_view session_folder, std::string_view agent_id) {
  const std::string name = agent_id.empty() ? "plan" : "plan-" + safe_file_name(agent_id);
  return std::string(session_folder) + "/" + name + ".md";
}

std::shared_ptr<Tool> make_enter_plan_mode_tool() { return std::make_shared<EnterPlanModeTool>(); }
std::shared_ptr<Tool> make_exit_plan_mode_tool(bool grants_by_meaning) {
  return std::make_shared<ExitPlanModeTool>(grants_by_meaning);
}

}  // namespace deft
