#include "deft/tools/task_list_tools.h"

#include <string>
#include <string_view>
#include <utility>

#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::size_t kSubjectShownCharacters = 80;

std::string text_of(const Json& input, std::string_view key) {
  return std::string(find_string(input, key).value_or(""));
}

std::optional<std::string> given_text(const Json& input, std::string_view key) {
  const auto text = find_string(input, key);
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::vector<std::string> given_ids(const Json& input, std::string_view key) {
  std::vector<std::string> ids;
  const JsonArray* array = find_array(input, key);
  for (std::size_t i = 0; array && i < array->size(); ++i) ids.emplace_back(view((*array)[i].get_string()));
  return ids;
}

JsonObject given_object(const Json& input, std::string_view key) {
  const JsonObject* object = find_object(input, key);
  return object ? *object : JsonObject();
}

// "3  in_progress  Run the tests (worker-1; waits for 1, 2)"
std::string line_about(const TaskList& list, const ListedTask& task) {
  std::vector<std::string> more;
  if (!task.owner.empty()) more.push_back(one_line(task.owner, kSubjectShownCharacters));
  if (const auto open = list.open_blockers(task); !open.empty()) more.push_back("waits for " + join(open, ", "));
  std::string line =
      task.id + "  " + std::string(to_string(task.status)) + "  " + one_line(task.subject, kSubjectShownCharacters);
  return more.empty() ? line : line + " (" + join(more, "; ") + ")";
}

class TaskListTool : public Tool {
 public:
  TaskListTool(ToolSpec spec, std::shared_ptr<SharedTaskList> list) : spec_(std::move(spec)), list_(std::move(list)) {}
  const ToolSpec& spec() const final { return spec_; }
  bool is_session_only(const Json&) const final { return true; }

 protected:
  SharedTaskList& list() const { return *list_; }

 private:
  const ToolSpec spec_;
  const std::shared_ptr<SharedTaskList> list_;
};

// Changes the list.
class TaskListChange : public TaskListTool {
 public:
  using TaskListTool::TaskListTool;
  std::optional<Footprint> footprint(const Json&, const SessionView&) const final {
    return Footprint::uses_session(Footprint::Use::write);
  }
};

// Only looks at it.
class TaskListLook : public TaskListTool {
 public:
  using TaskListTool::TaskListTool;
  bool is_read_only(const Json&, const SessionView&) const final { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const final {
    return Footprint::uses_session(Footprint::Use::read);
  }
};

class TaskCreateTool final : public TaskListChange {
 public:
  using TaskListChange::TaskListChange;
  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const auto created = list().create({.id = {},
                                        .subject = text_of(input, "subject"),
                                        .description = text_of(input, "description"),
                                        .active_form = text_of(input, "activeForm"),
                                        .metadata = given_object(input, "metadata")},
                                       io.stop);
    if (!created) return std::unexpected(created.error());
    return ToolResult{
        .text = "Created task " + created->id + ": " + one_line(created->subject, kSubjectShownCharacters),
        .details = JsonObject{
            {"task", {{"id", created->id}, {"subject", created->subject}, {"description", created->description}}}}};
  }
  std::string render_use(const Json& input) const override {
    return "TaskCreate(" + one_line(text_of(input, "subject"), kSubjectShownCharacters) + ")";
  }
};

class TaskGetTool final : public TaskListLook {
 public:
  using TaskListLook::TaskListLook;
  Result<ToolResult> run(const Json& input, ToolIo&) override {
    const TaskList now = list().now();
    const ListedTask* task = now.find(text_of(input, "taskId"));
    if (!task) {
      return ToolResult{.text = "There is no task " + json_quote(one_line(text_of(input, "taskId"), 50)) + ".",
                        .details = JsonObject{{"task", nullptr}}};
    }
    std::string text = line_about(now, *task);
    if (!task->description.empty()) text += "\n" + task->description;
    if (const auto blocked = now.blocks(task->id); !blocked.empty()) text += "\nBlocks: " + join(blocked, ", ");
    if (!task->metadata.empty()) text += "\nMetadata: " + to_json(task->metadata);
    return ToolResult{.text = std::move(text), .details = JsonObject{{"task", now.task_json(*task)}}};
  }
  std::string render_use(const Json& input) const override {
    return "TaskGet(" + one_line(text_of(input, "taskId"), kSubjectShownCharacters) + ")";
  }
};

class TaskListAllTool final : public TaskListLook {
 public:
  using TaskListLook::TaskListLook;
  Result<ToolResult> run(const Json&, ToolIo&) override {
    const TaskList now = list().now();
    std::vector<std::string> lines;
    JsonArray tasks;
    for (const ListedTask* task : now.all()) {
      lines.push_back(line_about(now, *task));
      JsonObject json{{"id", task->id}, {"subject", task->subject}, {"status", to_string(task->status)}};
      if (!task->owner.empty()) json["owner"] = task->owner;
      const auto open = now.open_blockers(*task);
      json["blockedBy"] = JsonArray(open.begin(), open.end());
      tasks.push_back(std::move(json));
    }
    return ToolResult{.text = lines.empty() ? "There are no tasks." : join(lines, "\n"),
                      .details = JsonObject{{"tasks", std::move(tasks)}}};
  }
  std::string render_use(const Json&) const override { return "TaskList()"; }
};

class TaskUpdateTool final : public TaskListChange {
 public:
  using TaskListChange::TaskListChange;
  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const std::string id = text_of(input, "taskId");
    const auto changed = list().update(id, change_of(input), io.stop);
    if (!changed) {
      // Part of the format: whoever only looks at the structured result sees what went wrong.
      ToolResult result{.text = changed.error().message,
                        .details = JsonObject{{"success", false},
                                              {"taskId", id},
                                              {"updatedFields", JsonArray()},
                                              {"error", changed.error().message}},
                        .error = changed.error().code};
      return result;
    }
    JsonObject details{{"success", true},
                       {"taskId", id},
                       {"updatedFields", JsonArray(changed->fields.begin(), changed->fields.end())}};
    const TaskList now = list().now();
    const ListedTask* task = now.find(id);
    if (changed->status_before) {
      details["statusChange"] = JsonObject{{"from", to_string(*changed->status_before)},
                                           {"to", task ? to_string(task->status) : std::string_view("deleted")}};
    }
    std::string text = !task                     ? "Deleted task " + one_line(id, kSubjectShownCharacters) + "."
                       : changed->fields.empty() ? "Nothing changed: " + line_about(now, *task)
                                                 : "Updated task " + line_about(now, *task);
    return ToolResult{.text = std::move(text), .details = std::move(details)};
  }
  std::string render_use(const Json& input) const override {
    const auto status = find_string(input, "status");
    return "TaskUpdate(" + one_line(text_of(input, "taskId"), kSubjectShownCharacters) +
           (status ? ", " + std::string(*status) : "") + ")";
  }

 private:
  static TaskChange change_of(const Json& input) {
    TaskChange change{.subject = given_text(input, "subject"),
                      .description = given_text(input, "description"),
                      .active_form = given_text(input, "activeForm"),
                      .owner = given_text(input, "owner"),
                      .add_blocks = given_ids(input, "addBlocks"),
                      .add_blocked_by = given_ids(input, "addBlockedBy"),
                      .metadata = given_object(input, "metadata")};
    const auto status = find_string(input, "status");
    if (status == "pending") change.status = ListedTask::Status::pending;
    if (status == "in_progress") change.status = ListedTask::Status::in_progress;
    if (status == "completed") change.status = ListedTask::Status::completed;
    change.deleted = status == "deleted";
    return change;
  }
};

Json text_field(std::string_view description) { return JsonObject{{"type", "string"}, {"description", description}}; }
Json ids_field(std::string_view description) {
  return JsonObject{{"type", "array"}, {"items", {{"type", "string"}}}, {"description", description}};
}
Json object_field(std::string_view description) { return JsonObject{{"type", "object"}, {"description", description}}; }

Json schema(JsonObject properties, JsonArray required) {
  return JsonObject{{"type", "object"},
                    {"properties", std::move(properties)},
                    {"required", std::move(required)},
                    {"additionalProperties", false}};
}

ToolSpec create_spec() {
  return {
      .name = "TaskCreate",
      .aliases = {},
      .description =
          "Adds a task to the list that all agents of this session share. It is pending and has no owner.\n"
          "- For work of three steps and more, or that several agents share. Not for a single plain step: do it.\n"
          "- subject: what is to be done, as an order (\"Fix the login test\"). description: what somebody else "
          "would need to know to do it, and when it is done.\n"
          "- Order them with TaskUpdate (addBlockedBy).",
      .input_schema = schema({{"subject", text_field("What is to be done, in a few words.")},
                              {"description", text_field("What somebody needs to know to do it.")},
                              {"activeForm", text_field("What to show while it is done: \"Fixing the login test\".")},
                              {"metadata", object_field("Anything else that belongs to it.")}},
                             {"subject", "description"}),
      .search_hint = "add todo item plan steps shared work",
      .should_defer = true};
}

ToolSpec get_spec() {
  return {.name = "TaskGet",
          .aliases = {},
          .description = "Shows one task of the shared list with its description, owner and dependencies.",
          .input_schema = schema({{"taskId", text_field("The task.")}}, {"taskId"}),
          .search_hint = "look at todo item details",
          .should_defer = true,
          .on_interrupt = OnInterrupt::cancel};
}

ToolSpec list_spec() {
  return {.name = "TaskList",
          .aliases = {},
          .description =
              "Lists the tasks that the agents of this session share: id, status, owner, and what each still waits "
              "for. Take one that is pending, has no owner and waits for nothing, the lowest id first.",
          .input_schema = schema({}, {}),
          .search_hint = "show all todo items shared plan",
          .should_defer = true,
          .on_interrupt = OnInterrupt::cancel};
}

ToolSpec update_spec() {
  return {
      .name = "TaskUpdate",
      .aliases = {},
      .description =
          "Changes a task of the shared list.\n"
          "- Before you work on one: status in_progress, and yourself as the owner. When it is done, and only then: "
          "completed. What is not needed any more: deleted.\n"
          "- addBlockedBy names tasks that must be completed before it can begin; addBlocks those that wait for it. "
          "They cannot wait for each other in a circle.\n"
          "- metadata is merged into what is there; null removes a key.",
      .input_schema = schema(
          {{"taskId", text_field("The task.")},
           {"subject", text_field("What is to be done, in a few words.")},
           {"description", text_field("What somebody needs to know to do it.")},
           {"activeForm", text_field("What to show while it is done.")},
           {"status",
            JsonObject{{"type", "string"}, {"enum", JsonArray{"pending", "in_progress", "completed", "deleted"}}}},
           {"owner", text_field("Who does it; empty: nobody.")},
           {"addBlocks", ids_field("Tasks that wait for this one.")},
           {"addBlockedBy", ids_field("Tasks that this one waits for.")},
           {"metadata", object_field("Merged into what is there; null removes a key.")}},
          {"taskId"}),
      .search_hint = "change todo item status owner dependency claim",
      .should_defer = true};
}

}  // namespace

std::vector<std::shared_ptr<Tool>> make_task_list_tools(const std::shared_ptr<SharedTaskList>& list) {
  return {std::make_shared<TaskCreateTool>(create_spec(), list), std::make_shared<TaskGetTool>(get_spec(), list),
          std::make_shared<TaskListAllTool>(list_spec(), list), std::make_shared<TaskUpdateTool>(update_spec(), list)};
}

}  // namespace deft
