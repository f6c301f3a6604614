#include "deft/ui/mcp_answers.h"

#include <algorithm>
#include <utility>

#include "deft/base/sha256.h"
#include "deft/os/random_token.h"

namespace deft {
namespace {

std::string call_of(std::string_view tool, const Json& arguments) {
  return sha256(std::string(tool) + '\0' + to_json(arguments));
}

// The user has allowed it in so many words.
bool allows(const Json& responses) {
  const Json* said = find(responses, kMcpPermissionKey);
  const Json* content = said == nullptr ? nullptr : find(*said, "content");
  return content != nullptr && find_string(*said, "action") == "accept" && find_string(*content, "decision") == "allow";
}

}  // namespace

std::optional<std::string> McpAnswers::asked(std::string_view tool, const Json& arguments, std::string question) {
  auto token = random_token();
  if (!token) return std::nullopt;
  const TimePoint now = clock_.now();
  const std::lock_guard lock(mutex_);
  std::erase_if(questions_, [&](const auto& entry) { return entry.second.until <= now; });
  if (questions_.size() >= kMcpQuestionsMax) {
    const auto until = [](const auto& entry) { return entry.second.until; };
    questions_.erase(std::ranges::min_element(questions_, {}, until));
  }
  questions_.emplace(*token, Question{call_of(tool, arguments), std::move(question), now + kMcpQuestionTime});
  return *std::move(token);
}

Result<std::optional<McpAnswered>> McpAnswers::take(std::string_view tool, const Json& arguments, const Json& params) {
  const Json* state = find(params, "requestState");
  const Json* responses = find(params, "inputResponses");
  if (state == nullptr && responses == nullptr) return std::nullopt;
  if (state == nullptr || !state->is_string()) return fail(Errc::invalid_input, "requestState is missing");
  std::optional<Question> question;
  {
    const std::lock_guard lock(mutex_);
    // Whatever comes of it, it has been used.
    if (auto found = questions_.extract(std::string(view(state->get_string())))) question = std::move(found.mapped());
  }
  if (!question || question->until <= clock_.now()) {
    return fail(Errc::invalid_input, "requestState is not known, too old, or was used before; make the call anew");
  }
  if (question->call != call_of(tool, arguments)) {
    return fail(Errc::invalid_input, "requestState belongs to another call");
  }
  return McpAnswered{.question = std::move(question->text), .allows = responses != nullptr && allows(*responses)};
}

}  // namespace deft
