#include <set>
#include <string_view>
#include <unordered_set>

#include "deft/base/json.h"
#include "deft/core/conversation.h"

namespace deft {
namespace {

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
    const auto* blocks = content->if_array();
    if (!blocks || blocks->empty()) return at("has no blocks");
    bool only_results = true;
    for (const Json& block : *blocks) {
      const auto type = find_string(block, "type");
      if (!type) return at("has a block without a type");
      if (type == "text" && find_string(block, "text").value_or("").empty()) return at("has an empty text");
      if (type == "tool_use") {
        if (auto problem = check_call(block)) return problem;
      }
      if (type == "tool_result") {
        if (!only_results) return at("has a result after something else");
        if (auto problem = check_result(block)) return problem;
      } else {
        only_results = false;
      }
    }
    if (message.role == Role::user && !unanswered_.empty()) return at("leaves the call " + *unanswered_.begin());
    return std::nullopt;
  }

  std::optional<std::string> check_call(const Json& block) {
    const auto id = find_string(block, "id").value_or("");
    if (role_ != Role::assistant) return at("has a call of the user");
    if (id.empty() || find_string(block, "name").value_or("").empty()) return at("has a call without id or name");
    if (!find_object(block, "input")) return at("has a call whose input is no object");
    if (!ids_.emplace(id).second) return at("uses an id again: " + std::string(id));
    unanswered_.emplace(id);
    return std::nullopt;
  }

  std::optional<std::string> check_result(const Json& block) {
    const std::string id(find_string(block, "tool_use_id").value_or(""));
    if (role_ != Role::user) return at("has a result of the model");
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

}  // namespace deft
