#include "deft/agent/agent.h"
#include "deft/core/message_content.h"
#include "deft/tools/plan_mode.h"

// The model is told the names of tools that are left out of its prompt, once, and then only what has changed: what it
// was told stays where it stands, so the provider's cache holds. And that it is to plan, if it did not begin that
// itself.

namespace deft {
namespace {

constexpr std::size_t kNamesCharactersMax = 40'000;  // in one reminder; the rest is found by keywords
// In all reminders after the first one. A server that renames its tools before every message would fill the context.
constexpr std::size_t kLaterNamesCharactersMax = 60'000;

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (text.size() + name.size() > kNamesCharactersMax) break;
    text += name + "\n";
    ++shown;
  }
  if (shown < names.size()) text += "and " + std::to_string(names.size() - shown) + " more\n";
  return text;
}

}  // namespace

void Agent::announce_tools(const ToolPool& pool) {
  ToolDiscovery& tools = engine_->session().tools;
  std::vector<std::string> fresh, gone;
  for (const std::string& name : pool.deferred()) {
    if (!tools.announced.contains(name)) fresh.push_back(name);
  }
  for (const std::string& name : tools.announced) {
    if (!pool.is_deferred(name)) gone.push_back(name);
  }
  if (fresh.empty() && gone.empty()) return;
  const bool is_first = tools.announced.empty();
  if (is_first) names_told_later_ = 0;
  if (names_told_later_ > kLaterNamesCharactersMax) return;  // it was said that no more is told
  std::string text = "<system-reminder>\n";
  if (!fresh.empty()) {
    text +=
        "These tools can be used too, but their definitions are not loaded. Load those that you need with ToolSearch "
        "before you call them:\n" +
        list_of(fresh);
  }
  if (!gone.empty()) text += "These tools are not available any more:\n" + list_of(gone);
  text += "</system-reminder>";
  if (!is_first && (names_told_later_ += text.size()) > kLaterNamesCharactersMax) {
    return add_user(content_of({text_block("<system-reminder>\nTools of servers come and go so often that you are not "
                                           "told of it any more. Find what there is with "
                                           "ToolSearch.\n</system-reminder>")}),
                    {.source = "tools"});
  }
  tools.announced = pool.deferred();
  JsonArray names;
  for (const std::string& name : tools.announced) names.emplace_back(name);
  add_user(content_of({text_block(text)}), {.source = "tools"});
  set_state(std::string(kAnnouncedToolsKey), std::move(names));  // last: told twice is better than not at all
}

// Not of a mode that a run began with: that is said anew each time.
void Agent::remember_planning() {
  const std::string key(kPlanningState);
  const ModeMemory& mode = engine_->session().mode;
  const bool plans = mode.now == Mode::plan && mode.before_plan.has_value();
  if ((state(key) == Json(true)) != plans) set_state(key, plans);
}

// What was not approved before the process ended is not approved by that.
void Agent::go_on_planning() {
  if (is_subagent() || state(std::string(kPlanningState)) != Json(true)) return;
  if (options_.mode_is_chosen) {
    knows_of_planning_ = true;
  } else {
    executor().take_now(ModeWanted{Mode::plan});
  }
}

void Agent::announce_plan_mode() {
  const bool plans = engine_->session().mode.now == Mode::plan;
  remember_planning();
  if (plans == knows_of_planning_) return;
  knows_of_planning_ = plans;
  if (!plans) {
    return add_user(
        content_of({text_block("<system-reminder>\nPlan mode was turned off: what the permissions allow may be done "
                               "now.\n</system-reminder>")}),
        {.source = "reminder"});
  }
  const std::string file = plan_file_in(engine_->session_folder(), options_.engine.agent_id);
  const bool can_exit = executor().pool()->find("ExitPlanMode") != nullptr;
  const std::string text =
      "<system-reminder>\nPlan mode is on: read and search as much as you need; nothing may be changed but the plan, "
      "which you write to " +
      file + ". " +
      (can_exit ? "When it is complete, call ExitPlanMode to have it approved; before that, do not begin with the work."
                : "When it is complete, give it as your answer.") +
      " A task that changes nothing needs no plan: answer it.\n</system-reminder>";
  add_user(content_of({text_block(text)}), {.source = "reminder"});
}

}  // namespace deft
