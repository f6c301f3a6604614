#include "deft/core/todo_list.h"

#include <algorithm>

namespace deft {
namespace {

std::optional<Todo::Status> status_of(std::string_view word) {
  for (const Todo::Status status : {Todo::Status::pending, Todo::Status::in_progress, Todo::Status::completed}) {
    if (word == to_string(status)) return status;
  }
  return std::nullopt;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

std::string_view to_string(Todo::Status status) {
  switch (status) {
    case Todo::Status::pending: return "pending";
    case Todo::Status::in_progress: return "in_progress";
    case Todo::Status::completed: return "completed";
  }
  return "pending";
}

JsonArray todos_json(const TodoList& todos) {
  JsonArray json;
  for (const Todo& todo : todos) {
    json.push_back(JsonObject{{"content", todo.content},
                              {"status", to_string(todo.status)},
                              {"activeForm", todo.active_form.empty() ? todo.content : todo.active_form}});
  }
  return json;
}

Result<TodoList> todos_of(const Json& json) {
  const auto wrong = [](std::string what) { return fail(Errc::invalid_input, "InputValidationError: " + what); };
  const JsonArray* entries = json.if_array();
  if (!entries) return wrong("todos must be a list.");
  if (entries->size() > kTodosMax) return wrong("A list has at most " + std::to_string(kTodosMax) + " todos.");
  TodoList todos;
  for (const Json& entry : *entries) {
    const std::string at = "todos[" + std::to_string(todos.size()) + "]";
    const auto content = find_string(entry, "content");
    const auto active = find_string(entry, "activeForm").value_or("");
    const auto status = status_of(find_string(entry, "status").value_or(""));
    if (!content || is_blank(*content)) return wrong(at + ".content must say what is to be done.");
    if (content->size() > kTodoBytesMax || active.size() > kTodoBytesMax) {
      return wrong(at + " is too long: say it in " + std::to_string(kTodoBytesMax) + " bytes.");
    }
    if (!status) return wrong(at + ".status must be pending, in_progress or completed.");
    todos.push_back({.content = std::string(*content),
                     .active_form = active == *content ? "" : std::string(active),
                     .status = *status});
  }
  if (std::ranges::count(todos, Todo::Status::in_progress, &Todo::status) > 1) {
    return wrong("At most one todo may be in_progress: finish it before you begin the next.");
  }
  return todos;
}

}  // namespace deft
