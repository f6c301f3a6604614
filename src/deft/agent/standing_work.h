#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/core/todo_list.h"
#include "deft/tools/background_tasks.h"

namespace deft {

// What still is so when a summary takes the place of all that said it: the agent's todo list, and what runs in the
// background. A summary may leave it out, and the model has no other way to know. The words for the model; empty: there
// is nothing of the kind.
std::string standing_work(const TodoList& todos, const std::vector<TaskView>& tasks);

// What ran by these words, each as it is named there; nothing if they are others.
std::vector<std::string> running_by(std::string_view standing_work);
inline constexpr std::string_view kStandingWorkBegins = "What still stands beside this summary:";

}  // namespace deft
