#include "deft/tools/ask_user_question.h"

#include <utility>

namespace deft {
namespace {

constexpr std::size_t kAnswerBytesShownMax = 10'000;

class AskUserQuestionTool final : public Tool {
 public:
  const ToolSpec& spec() const override { return spec_; }
  bool is_session_only(const Json&) const override { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override { return Footprint::everything(); }

  std::optional<OwnVerdict> check_permission(const Json&, const SessionView&) const override {
    return OwnVerdict{Verdict::ask, "it is a question to a person", true};
  }

  // Only a person answers: what the model itself put there is taken out before anybody sees it.
  std::optional<Json> completed(const Json& input, ToolIo& io) const override {
    if (io.approved) return std::nullopt;
    JsonObject asked = input.get_object();
    for (const char* key : {"answers", "response", "annotations"}) asked.erase(key);
    return asked;
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const Json* answers = io.approved ? find(input, "answers") : nullptr;
    ToolResult result;
    JsonObject details{{"questions", *find(input, "questions")}};
    details["answers"] = answers && answers->is_object() ? *answers : Json(JsonObject{});
    if (const auto response = find_string(input, "response")) details["response"] = *response;
    for (const auto& member : details["answers"].get_object()) {
      const std::string answer =
          member.value().is_string() ? std::string(view(member.value().get_string())) : to_json(member.value());
      result.text += json_quote(std::string_view(member.key().data(), member.key().size())) + ": " +
                     answer.substr(0, kAnswerBytesShownMax) + "\n";
    }
    if (result.text.empty()) {
      result.text = "The user went on without choosing: decide by yourself, and say how you decided.";
    } else {
      result.text = "The user answered:\n" + result.text;
    }
    result.details = std::move(details);
    return result;
  }

  std::string render_use(const Json& input) const override {
    const JsonArray* questions = find_array(input, "questions");
    if (!questions || questions->empty()) return "AskUserQuestion";
    return "AskUserQuestion(" + std::string(find_string(questions->front(), "question").value_or("")) + ")";
  }

 private:
  static JsonObject option_schema() {
    return {{"type", "object"},
            {"properties",
             {{"label", {{"type", "string"}, {"description", "A few words."}}},
              {"description", {{"type", "string"}, {"description", "What choosing it means."}}},
              {"preview", {{"type", "string"}}}}},
            {"required", {"label", "description"}},
            {"additionalProperties", false}};
  }
  static JsonObject question_schema() {
    return {{"type", "object"},
            {"properties",
             {{"question", {{"type", "string"}, {"description", "A whole sentence with a question mark."}}},
              {"header", {{"type", "string"}, {"maxLength", 12}, {"description", "A short label."}}},
              {"options", {{"type", "array"}, {"minItems", 2}, {"maxItems", 4}, {"items", option_schema()}}},
              {"multiSelect", {{"type", "boolean"}, {"description", "Several may be chosen."}}}}},
            {"required", {"question", "header", "options", "multiSelect"}},
            {"additionalProperties", false}};
  }

  const ToolSpec spec_{
      .name = "AskUserQuestion",
      .description =
          "Asks the user one to four questions, each with two to four options; they may also answer in words of "
          "their own. Use it when a choice is the user's to make and cannot be found out otherwise. Put the "
          "option that you recommend first. Do not ask for permission with it, nor whether a plan is fine.",
      .input_schema =
          JsonObject{
              {"type", "object"},
              {"properties",
               {{"questions", {{"type", "array"}, {"minItems", 1}, {"maxItems", 4}, {"items", question_schema()}}},
                {"answers", {{"type", "object"}, {"description", "Filled in by the user; leave it out."}}},
                {"response", {{"type", "string"}}},
                {"annotations", {{"type", "object"}}},
                {"metadata", {{"type", "object"}}}}},
              {"required", {"questions"}},
              {"additionalProperties", false}},
      .search_hint = "ask user choose clarify decision"};
};

}  // namespace

std::shared_ptr<Tool> make_ask_user_question_tool() { return std::make_shared<AskUserQuestionTool>(); }

}  // namespace deft
