#include "deft/tools/advisor.h"

#include <atomic>
#include <string_view>
#include <utility>

#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

std::string question_of(const Json& input) { return std::string(find_string(input, "question").value_or("")); }

class AdvisorTool final : public Tool {
 public:
  explicit AdvisorTool(AdvisorOptions options) : options_(std::move(options)) {}
  const ToolSpec& spec() const override { return spec_; }
  bool is_read_only(const Json&, const SessionView&) const override { return true; }
  // It reaches nobody but the model that the user has named for it.
  bool is_session_only(const Json&) const override { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override { return Footprint::nothing(); }
  Result<void> validate(const Json& input, ToolIo&) const override {
    if (count_characters(question_of(input)) <= kAdvisorQuestionCharactersMax) return {};
    return fail(Errc::limit, "The question is too long: the advisor sees the conversation anyway, ask in a few words.");
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    if (calls_.fetch_add(1) >= options_.calls_max) {
      return fail(Errc::limit, "The advisor was asked " + std::to_string(options_.calls_max) +
                                   " times in this session, which is all that it may be: decide yourself.");
    }
    if (tokens_.load() >= options_.tokens_max) {
      return fail(Errc::limit, "The advisor has used up its " + std::to_string(options_.tokens_max) +
                                   " tokens of this session: decide yourself.");
    }
    auto advice = options_.ask(question_of(input), io.stop);
    if (!advice) {
      if (advice.error().code == Errc::cancelled) return std::unexpected(advice.error());
      return fail(advice.error().code, "The advisor cannot be asked now: " + advice.error().message);
    }
    const std::uint64_t used = tokens_.fetch_add(advice->tokens) + advice->tokens;
    JsonObject details{{"model", options_.model},
                       {"advice", advice->text},
                       {"tokens", advice->tokens},
                       {"tokensOfSession", used},
                       {"callsLeft", options_.calls_max - std::min(options_.calls_max, calls_.load())}};
    return ToolResult{.text = advice->text, .details = std::move(details)};
  }

  std::string render_use(const Json& input) const override {
    const std::string question = question_of(input);
    return "Advisor(" + (question.empty() ? "the work so far" : one_line(question, 100)) + ")";
  }

 private:
  const AdvisorOptions options_;
  std::atomic<std::size_t> calls_ = 0;
  std::atomic<std::uint64_t> tokens_ = 0;
  const ToolSpec spec_{
      .name = "Advisor",
      .aliases = {},
      .description =
          "Asks another, as a rule stronger, model for its opinion on the work so far. It sees this conversation, what "
          "you called and what came of it, but can do nothing itself.\n"
          "- Ask before you set out on something large, when you are stuck or go round in circles, and before you say "
          "that something difficult is done. Not for what you can find out with a tool.\n"
          "- question says what you want to know; without one it says what it thinks.\n"
          "- It may be wrong: weigh what it says against what you have seen.",
      .input_schema =
          JsonObject{{"type", "object"},
                     {"properties",
                      {{"question",
                        {{"type", "string"},
                         {"description", "What you want to know; without it, what is to be said of the work."}}}}},
                     {"additionalProperties", false}},
      .search_hint = "second opinion review stronger model help stuck",
      .on_interrupt = OnInterrupt::cancel};
};

}  // namespace

std::shared_ptr<Tool> make_advisor_tool(AdvisorOptions options) {
  if (!options.ask) return nullptr;
  return std::make_shared<AdvisorTool>(std::move(options));
}

}  // namespace deft
