#include "deft/tools/ask_user_question.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kAnswerCharactersMax = 10'000;

// Several choices may come as a list: they are one text, with commas between.
Json as_one_text(const Json& answer) {
  const bool is_list = answer.is_array() && std::ranges::all_of(answer.get_array(), &Json::is_string);
  if (!is_list) return answer;
  std::vector<std::string> parts;
  for (const Json& part : answer.get_array()) parts.emplace_back(view(part.get_string()));
  return Json(join(parts, ", "));
}

std::string shown_text(const Json& answer) {
  const std::string text = answer.is_string() ? std::string(view(answer.get_string())) : to_json(answer);
  return std::string(first_characters(text, kAnswerCharactersMax));
}

std::vector<std::string_view> texts_at(const JsonArray* list, std::string_view key) {
  std::vector<std::string_view> texts;
  for (std::size_t i = 0; list && i < list->size(); ++i) texts.push_back(find_string((*list)[i], key).value_or(""));
  return texts;
}

bool has_twice(std::vector<std::string_view> texts) {
  std::ranges::sort(texts);
  return std::ranges::adjacent_find(texts) != texts.end();
}

class AskUserQuestionTool final : public Tool {
 public:
  const ToolSpec& spec() const override { return spec_; }
  bool is_session_only(const Json&) const override { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override { return Footprint::everything(); }

  std::optional<OwnVerdict> check_permission(const Json&, const SessionView&) const override {
    return OwnVerdict{Verdict::ask, "it is a question to a person", true};
  }

  // Answers name a question and an option by their words.
  Result<void> validate(const Json& input, ToolIo&) const override {
    const JsonArray* questions = find_array(input, "questions");
    if (has_twice(texts_at(questions, "question"))) {
      return fail(Errc::invalid_input, "Two questions have the same words: ask each once.");
    }
    for (std::size_t i = 0; questions && i < questions->size(); ++i) {
      if (!has_twice(texts_at(find_array((*questions)[i], "options"), "label"))) continue;
      return fail(Errc::invalid_input, "Two options of question " + std::to_string(i + 1) +
                                           " have the same label: give each one of its own.");
    }
    return {};
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
    details["answers"] = JsonObject{};
    if (answers && answers->is_object()) {
      for (const auto& member : answers->get_object()) {
        details["answers"].get_object()[member.key()] = as_one_text(member.value());
      }
    }
    for (const auto& member : details["answers"].get_object()) {
      result.text += json_quote(std::string_view(member.key().data(), member.key().size())) + ": " +
                     shown_text(member.value()) + "\n";
    }
    if (!result.text.empty()) result.text = "The user answered:\n" + result.text;
    const Json* response = io.approved ? find(input, "response") : nullptr;
    if (response && response->is_string() && !response->get_string().empty()) {
      details["response"] = *response;
      result.text += "The user said:\n" + shown_text(*response) + "\n";
    }
    const Json* annotations = io.approved ? find(input, "annotations") : nullptr;
    if (annotations && annotations->is_object() && !annotations->get_object().empty()) {
      details["annotations"] = *annotations;
      result.text += "Notes to that: " + shown_text(*annotations) + "\n";
    }
    if (result.text.empty()) {
      result.text = "The user went on without choosing: decide by yourself, and say how you decided.";
    }
    result.details = std::move(details);
    return result;
  }

  std::string render_use(const Json& input) const override {
    const JsonArray* questions = find_array(input, "questions");
    if (!questions || questions->empty()) return "AskUserQuestion";
    return "AskUserQuestion(" + one_line(find_string(questions->front(), "question").value_or(""), 200) + ")";
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
              {"multiSelect", {{"type", "boolean"}, {"description", "Several may be chosen; false if not given."}}}}},
            {"required", {"question", "header", "options"}},
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
