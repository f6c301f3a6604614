#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "deft/core/history.h"

namespace deft {

// A conversation that grows. Roles alternate at all times: what the user says twice in a row is one message, and the
// bytes that were there stay as they were. Contents are JSON arrays, see core/message_content.h; empty ones change
// nothing. Who adds an assistant's message with calls adds their results next.
class Conversation {
 public:
  Conversation() = default;
  explicit Conversation(History history);

  void add_user(const std::string& content) { add(Role::user, content); }
  void add_assistant(const std::string& content) { add(Role::assistant, content); }
  void replace(History history);  // after a compaction

  // As it is now; a request may keep it while the conversation goes on.
  std::shared_ptr<const History> snapshot() const { return history_; }
  const History& messages() const { return *history_; }
  bool empty() const { return history_->empty(); }

 private:
  void add(Role role, const std::string& content);

  std::shared_ptr<History> history_ = std::make_shared<History>();  // copied before a change if somebody else has it
};

// What an API would refuse in a request with this history; nothing if it is fine. The rules: the first and the last
// message are the user's, roles alternate, no message and no text is empty, every call is answered in the next
// message, there the results come first, each belongs to a call and each call has one, ids are not used twice. A
// message of the model's does not end in what it thought.
std::optional<std::string> history_problem(const History& history);
// The same of one message, whatever stands around it.
std::optional<std::string> content_problem(Role role, std::string_view content);

}  // namespace deft
