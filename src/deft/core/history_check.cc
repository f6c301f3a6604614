#include <set>
#include <string_view>
#include <unordered_set>

#include "deft/base/json.h"
#include "deft/core/conversation.h"

namespace deft {
namespace {

bool is_thought(const Json& block) {
  const auto type = find_string(block, "type");
  return type == "thinking" || type == "redacted_thinking";
}

std::optional<std::string> call_problem(Role role, const Json& call) {
  if (role != Role::assistant) return "has a call of the user";
  const bool has_name =
      !find_string(call, "id").value_or("").empty() && !find_string(call, "name").value_or("").empty();
  if (!has_name) return "has a call without id or name";
  if (!find_object(call, "input")) return "has a call whose input is no object";
  return std::nullopt;
}

std::optional<std::string> block_problem(Role role, const Json& block) {
  const auto type = find_string(block, "type");
  if (!type) return "has a block without a type";
  if (type == "text" && find_string(block, "text").value_or("").empty()) return "has an empty text";
  if (type == "tool_use") return call_problem(role, block);
  if (type == "tool_result" && role != Role::user) return "has a result of the model";
  if (is_thought(block) && role != Role::assistant) return "has a thought of the user";
  return std::nullopt;
}

std::optional<std::string> problem_of_blocks(Role role, const Json& content) {
  const auto* blocks = content.if_array();
  if (!blocks || blocks->empty()) return "has no blocks";
  bool only_results = true;
  std::unordered_set<std::string_view> ids;
  for (const Json& block : *blocks) {
    if (auto problem = block_problem(role, block)) return problem;
    const bool is_result = find_string(block, "type") == "tool_result";
    if (is_result && !only_results) return "has a result after something else";
    only_results = is_result;
    const auto id = find_string(block, is_result ? "tool_use_id" : "id");
    const bool is_call = find_string(block, "type") == "tool_use";
    if ((is_call || is_result) && !ids.insert(id.value_or("")).second) {
      return "uses an id again: " + std::string(id.value_or(""));
    }
  }
  if (is_thought(blocks->back())) return "ends in a thought";
  return std::nullopt;
}

class HistoryCheck {
 public:
  std::optional<std::string> run(const History& history) {
    if (history.empty()) return "there is no message";
    for (const HistoryMessage& message : history) {
      if (at_ > 0 && message.role == role_) return at("has the role of the one before it");
      if (at_ == 0 && message.role != Role::user) return at("is not the user's");
      role_ = message.role;
      if (auto problem = check(message)) return problem;
      ++at_;
    }
    if (role_ != Role::user) return "the last message is not the user's";
    return std::nullopt;
  }

 private:
  std::string at(std::string_view what) const { return "message " + std::to_string(at_) + " " + std::string(what); }

  std::optional<std::string> check(const HistoryMessage& message) {
    const auto content = parse_json(message.content);
    if (!content) return at("is not JSON: " + content.error().message);
    if (const auto problem = problem_of_blocks(message.role, *content)) return at(*problem);
    for (const Json& block : content->get_array()) {
      const auto type = find_string(block, "type");
      if (type == "tool_use") {
        if (auto problem = take_call(std::string(find_string(block, "id").value_or("")))) return problem;
      }
      if (type == "tool_result") {
        if (auto problem = take_result(std::string(find_string(block, "tool_use_id").value_or("")))) return problem;
      }
    }
    if (message.role == Role::user && !unanswered_.empty()) return at("leaves the call " + *unanswered_.begin());
    return std::nullopt;
  }

  std::optional<std::string> take_call(const std::string& id) {
    if (!ids_.emplace(id).second) return at("uses an id again: " + id);
    unanswered_.emplace(id);
    return std::nullopt;
  }

  std::optional<std::string> take_result(const std::string& id) {
    if (unanswered_.erase(id) == 0) return at("answers no call of the message before it: " + id);
    return std::nullopt;
  }

  std::size_t at_ = 0;
  Role role_ = Role::user;
  std::unordered_set<std::string> ids_;
  std::set<std::string> unanswered_;
};

}  // namespace

std::optional<std::string> history_problem(const History& history) { return HistoryCheck().run(history); }

std::optional<std::string> content_problem(Role role, std::string_view content) {
  const auto parsed = parse_json(content);
  if (!parsed) return "is not JSON: " + parsed.error().message;
  return problem_of_blocks(role, *parsed);
}

}  // namespace deft
