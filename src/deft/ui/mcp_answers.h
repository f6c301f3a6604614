#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

// Questions to clients that have not been answered; the oldest are forgotten for newer ones.
inline constexpr std::size_t kMcpQuestionsMax = 1'000;
inline constexpr Duration kMcpQuestionTime = std::chrono::minutes(10);

// What a client said to a question: it holds for that question, about that call, once.
struct McpAnswered {
  std::string question;
  bool allows = false;
};

// Questions to clients without a session. Such a client is answered with the question and a token, and makes its
// request again with both the user's word and the token. The token is a random number that names what is remembered
// here: it can be neither made nor changed by others, is good for the same call only, and for once. Used from any
// thread.
class McpAnswers {
 public:
  explicit McpAnswers(const Clock& clock) : clock_(clock) {}

  // Nothing: there are no random numbers here, so nobody can be asked.
  std::optional<std::string> asked(std::string_view tool, const Json& arguments, std::string question);
  // What was said by a request that carries `requestState` and `inputResponses`. Nothing: it carries none. An error: it
  // is not known, was used before, is too old, or is about something else.
  Result<std::optional<McpAnswered>> take(std::string_view tool, const Json& arguments, const Json& params);

 private:
  struct Question {
    std::string call;  // a hash of tool and arguments
    std::string text;
    TimePoint until;
  };

  const Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Question> questions_;  // by token, under mutex_
};

inline constexpr std::string_view kMcpPermissionKey = "permission";  // of the question, among inputRequests

}  // namespace deft
