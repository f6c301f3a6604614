#include "deft/tools/todo_write.h"

#include <algorithm>

namespace deft {
namespace {

std::string line_about(const Todo& todo) {
  switch (todo.status) {
    case Todo::Status::pending: return "[ ] " + todo.content;
    case Todo::Status::in_progress: return "[>] " + todo.content;
    case Todo::Status::completed: return "[x] " + todo.content;
  }
  return todo.content;
}

class TodoWriteTool final : public Tool {
 public:
  const ToolSpec& spec() const override { return spec_; }
  bool is_session_only(const Json&) const override { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override {
    return Footprint::uses_session(Footprint::Use::write);
  }
  std::optional<OwnVerdict> check_permission(const Json&, const SessionView&) const override {
    return OwnVerdict{.verdict = Verdict::allow, .reason = "it only changes the agent's own list"};
  }
  Result<void> validate(const Json& input, ToolIo&) const override {
    const auto todos = todos_of(*find(input, "todos"));
    if (!todos) return std::unexpected(todos.error());
    return {};
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    auto todos = todos_of(*find(input, "todos"));
    if (!todos) return std::unexpected(todos.error());
    const bool all_done =
        std::ranges::all_of(*todos, [](const Todo& todo) { return todo.status == Todo::Status::completed; });
    ToolResult result{
        .text = text_of(*todos, all_done),
        .details = JsonObject{{"oldTodos", todos_json(io.session.todos())}, {"newTodos", todos_json(*todos)}}};
    // A list that is done is no longer in anybody's way.
    result.modifiers.emplace_back(TodosReplaced{all_done ? TodoList{} : std::move(*todos)});
    return result;
  }

  std::string render_use(const Json& input) const override {
    const auto todos = todos_of(find(input, "todos") ? *find(input, "todos") : Json());
    if (!todos) return "TodoWrite";
    const auto done = std::ranges::count(*todos, Todo::Status::completed, &Todo::status);
    return "TodoWrite(" + std::to_string(done) + " of " + std::to_string(todos->size()) + " done)";
  }
  std::string render_result(const ToolResult& result) const override {
    std::string lines;
    const JsonArray* shown = find_array(result.details, "newTodos");
    const auto todos = shown ? todos_of(*shown) : fail(Errc::invalid_input, "");
    if (!todos) return result.text;
    for (const Todo& todo : *todos) lines += (lines.empty() ? "" : "\n") + line_about(todo);
    return lines;
  }

 private:
  static std::string text_of(const TodoList& todos, bool all_done) {
    if (todos.empty()) return "The list is empty now.";
    if (all_done) return "The list is kept. All of it is done.";
    const auto current = std::ranges::find(todos, Todo::Status::in_progress, &Todo::status);
    if (current == todos.end()) return "The list is kept. Set the next todo to in_progress when you begin with it.";
    return "The list is kept. Go on with: " + current->content;
  }

  const ToolSpec spec_{
      .name = "TodoWrite",
      .description =
          "Keeps a list of what you mean to do, which the user sees. Each call replaces the whole list.\n"
          "- Use it for work of three or more steps, or when the user gives several tasks. Leave it out for a single "
          "small task, and for questions.\n"
          "- Each todo has content (\"Run the tests\"), status (pending, in_progress, completed) and, if you like, "
          "activeForm (\"Running the tests\").\n"
          "- Set a todo to in_progress when you begin with it, one at a time, and to completed as soon as it is really "
          "done: not while tests fail or something is missing.\n"
          "- Add what you find on the way, and leave out what is no longer needed.",
      .input_schema =
          JsonObject{
              {"type", "object"},
              {"properties",
               {{"todos",
                 {{"type", "array"},
                  {"maxItems", kTodosMax},
                  {"description", "The whole list, in the order of the work."},
                  {"items",
                   {{"type", "object"},
                    {"properties",
                     {{"content", {{"type", "string"}, {"minLength", 1}, {"description", "What is to be done."}}},
                      {"status", {{"type", "string"}, {"enum", JsonArray{"pending", "in_progress", "completed"}}}},
                      {"activeForm", {{"type", "string"}, {"description", "The same while it is being done."}}}}},
                    {"required", JsonArray{"content", "status"}}}}}}}},
              {"required", JsonArray{"todos"}},
              {"additionalProperties", false}},
      .search_hint = "plan steps progress checklist of the work"};
};

}  // namespace

std::shared_ptr<Tool> make_todo_write_tool() { return std::make_shared<TodoWriteTool>(); }

}  // namespace deft
