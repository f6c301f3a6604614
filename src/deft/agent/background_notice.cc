#include "deft/agent/background_notice.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "deft/agent/standing_work.h"
#include "deft/base/json.h"
#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::string_view kBeginning = "<system-reminder>deft was started anew. What ran in the background has ended:";
constexpr std::string_view kEnd =
    "\nWhat it had put out is in its file. Look how far it came before you start it again.</system-reminder>";
constexpr std::size_t kNamedMax = 20;
constexpr std::size_t kNameCharactersMax = 100;

struct Begun {
  std::string call_id;
  std::string what;
};

std::string name_of(const Json& call) {
  const Json* input = find(call, "input");
  std::string name(find_string(call, "name").value_or(""));
  for (const char* key : {"description", "command"}) {
    if (const auto value = input ? find_string(*input, key) : std::nullopt) {
      return name + ": " + one_line(*value, kNameCharactersMax);
    }
  }
  return name;
}

bool runs_in_background(const Json& call) {
  const Json* input = find(call, "input");
  return input && find_bool(*input, "run_in_background").value_or(false);
}

}  // namespace

std::string background_notice(const History& history) {
  std::vector<Begun> begun;
  for (const HistoryMessage& message : history) {
    if (message.content.find(kBeginning) != std::string::npos) begun.clear();
    const bool is_after_summary = message.content.find(kStandingWorkBegins) != std::string::npos;
    const bool matters = message.role == Role::user ? !begun.empty() || is_after_summary
                                                    : message.content.find("run_in_background") != std::string::npos;
    const auto blocks = matters ? parse_json(message.content) : Result<Json>(Json());
    if (!blocks || !blocks->is_array()) continue;
    for (const Json& block : blocks->get_array()) {
      const auto type = find_string(block, "type");
      if (type == "tool_use" && runs_in_background(block)) {
        begun.push_back({std::string(find_string(block, "id").value_or("")), name_of(block)});
      }
      if (type == "text" && is_after_summary) {  // what said that it was begun is not there any more
        for (std::string& name : running_by(find_string(block, "text").value_or(""))) {
          begun.push_back({.call_id = {}, .what = std::move(name)});
        }
      }
      if (type == "tool_result" && find_bool(block, "is_error").value_or(false)) {  // it never began
        std::erase_if(begun, [&](const Begun& one) { return one.call_id == find_string(block, "tool_use_id"); });
      }
    }
  }
  if (begun.empty()) return {};
  std::string text(kBeginning);
  const std::size_t left_out = begun.size() - std::min(begun.size(), kNamedMax);
  for (std::size_t i = left_out; i < begun.size(); ++i) text += "\n- " + begun[i].what;
  if (left_out > 0) text += "\n- and " + std::to_string(left_out) + " before them";
  return text.append(kEnd);
}

}  // namespace deft
