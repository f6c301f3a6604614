#include "deft/agent/standing_work.h"

#include <algorithm>

#include "deft/base/closing_tag.h"
#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::string_view kTag = "system-reminder";
constexpr std::string_view kRunning = "In the background run (TaskOutput shows what they say):\n";
constexpr std::string_view kTodos = "Your todo list:\n";
constexpr std::size_t kNamedMax = 50;  // of each
constexpr std::size_t kNameCharactersMax = 200;

std::string list_of(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text(title);
  for (std::size_t i = 0; i < std::min(lines.size(), kNamedMax); ++i) {
    text += "- " + one_line(lines[i], kNameCharactersMax) + "\n";
  }
  if (lines.size() > kNamedMax) text += "and " + std::to_string(lines.size() - kNamedMax) + " more\n";
  return text;
}

}  // namespace

std::string standing_work(const TodoList& todos, const std::vector<TaskView>& tasks) {
  std::vector<std::string> planned;
  for (const Todo& todo : todos) planned.push_back("[" + std::string(to_string(todo.status)) + "] " + todo.content);
  std::vector<std::string> running;
  for (const TaskView& task : tasks) {
    if (!task.is_completed()) running.push_back(task.id + ": " + task.command);
  }
  const std::string text = list_of(kTodos, planned) + list_of(kRunning, running);
  if (text.empty()) return {};
  return "<" + std::string(kTag) + ">\n" + std::string(kStandingWorkBegins) + "\n" + without_closing_tag(text, kTag) +
         "</" + std::string(kTag) + ">";
}

std::vector<std::string> running_by(std::string_view standing_work) {
  std::vector<std::string> names;
  const auto list = standing_work.find(kRunning);
  if (standing_work.find(kStandingWorkBegins) == std::string_view::npos || list == std::string_view::npos) return names;
  std::string_view rest = standing_work.substr(list + kRunning.size());
  for (std::size_t end = 0; rest.starts_with("- ") && (end = rest.find('\n')) != std::string_view::npos;) {
    names.emplace_back(rest.substr(2, end - 2));
    rest.remove_prefix(end + 1);
  }
  return names;
}

}  // namespace deft
