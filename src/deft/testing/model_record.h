#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "deft/base/mailbox.h"
#include "deft/core/message_content.h"
#include "deft/model/model.h"

namespace deft::testing {

// A sink that keeps what a model says, for a test to take one by one.
class ModelRecord {
 public:
  ModelClient::Sink sink() {
    return [this](ModelEvent event) { events_.push(std::move(event)); };
  }
  ModelEvent next() { return *events_.pop(); }
  bool is_silent() { return !events_.pop(TimePoint{}).has_value(); }

  // Everything up to the end, which comes last.
  std::vector<ModelEvent> wait_for_end() {
    std::vector<ModelEvent> all;
    while (true) {
      all.push_back(next());
      if (std::holds_alternative<MessageDone>(all.back()) || std::holds_alternative<ModelFailed>(all.back()))
        return all;
    }
  }
  // The message it ended in; a failure is told as a text.
  std::variant<Message, std::string> wait_for_message() {
    std::vector<ModelEvent> all = wait_for_end();
    if (auto* done = std::get_if<MessageDone>(&all.back())) return std::move(done->message);
    return "failed: " + std::get<ModelFailed>(all.back()).failure.message;
  }
  // The blocks of the message as content, or why there are none.
  std::string wait_for_content() {
    const auto message = wait_for_message();
    if (const auto* text = std::get_if<std::string>(&message)) return *text;
    return assistant_content(std::get<Message>(message).blocks);
  }
  std::optional<ModelFailure> wait_for_failure() {
    std::vector<ModelEvent> all = wait_for_end();
    auto* failed = std::get_if<ModelFailed>(&all.back());
    return failed ? std::optional(std::move(failed->failure)) : std::nullopt;
  }

 private:
  Mailbox<ModelEvent> events_;
};

// A request with one word of the user's.
inline ModelRequest model_request(std::string_view prompt = "go") {
  auto history = std::make_shared<History>();
  history->push_back({Role::user, "[" + text_block(prompt) + "]"});
  return {.model = "m", .output_tokens_max = 1000, .history = std::move(history)};
}

}  // namespace deft::testing
