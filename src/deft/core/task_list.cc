#include "deft/core/task_list.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kIdShownCharactersMax = 50;

// 0: it is none.
std::uint64_t number_of(std::string_view id) {
  if (id.starts_with('#')) id.remove_prefix(1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  return error == std::errc() && end == id.data() + id.size() ? number : 0;
}

std::unexpected<Error> no_such_task(std::string_view id) {
  return fail(Errc::not_found, "There is no task " + json_quote(one_line(id, kIdShownCharactersMax)) +
                                   ": see TaskList for those that there are.");
}

std::optional<ListedTask::Status> parse_status(std::string_view text) {
  for (const auto status :
       {ListedTask::Status::pending, ListedTask::Status::in_progress, ListedTask::Status::completed}) {
    if (to_string(status) == text) return status;
  }
  return std::nullopt;
}

JsonArray texts(const std::vector<std::string>& parts) { return JsonArray(parts.begin(), parts.end()); }

std::string text_of(const Json& json, std::string_view key) { return std::string(find_string(json, key).value_or("")); }

template <class Value>
void set(Value& field, const std::optional<Value>& given, std::string_view name, std::vector<std::string>& changed) {
  if (!given || *given == field) return;
  field = *given;
  changed.emplace_back(name);
}

bool merge_metadata(JsonObject& into, const JsonObject& given) {
  bool changed = false;
  for (const auto& member : given) {
    const auto existing = into.find(member.key());
    if (member.value().is_null()) {
      if (existing == into.end()) continue;
      into.stable_erase(existing);
    } else {
      if (existing != into.end() && existing->value() == member.value()) continue;
      into[member.key()] = member.value();
    }
    changed = true;
  }
  return changed;
}

}  // namespace

std::string_view to_string(ListedTask::Status status) {
  switch (status) {
    case ListedTask::Status::pending: return "pending";
    case ListedTask::Status::in_progress: return "in_progress";
    case ListedTask::Status::completed: return "completed";
  }
  return "pending";
}

Result<void> TaskList::check_text(const ListedTask& task) {
  if (task.subject.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(Errc::invalid_input, "A task needs a subject: say in a few words what is to be done.");
  }
  if (count_characters(task.subject) > kTaskSubjectCharactersMax) {
    return fail(Errc::limit, "A subject has at most " + std::to_string(kTaskSubjectCharactersMax) +
                                 " characters: put the rest into the description.");
  }
  if (count_characters(task.description) > kTaskDescriptionCharactersMax) {
    return fail(Errc::limit, "A description has at most " + std::to_string(kTaskDescriptionCharactersMax) +
                                 " characters: write more into a file and name that.");
  }
  const std::size_t other = to_json(task.metadata).size() + task.owner.size() + task.active_form.size();
  if (other > kTaskMetadataBytesMax) {
    return fail(Errc::limit, "The metadata of a task has at most " + std::to_string(kTaskMetadataBytesMax) + " bytes.");
  }
  return {};
}

Result<void> TaskList::check_size() const {
  if (to_json(to_json_value()).size() <= kTaskListBytesMax) return {};
  return fail(Errc::limit, "The task list holds at most " + human_bytes(kTaskListBytesMax) +
                               ": delete tasks that are done, or write less into each.");
}

Result<ListedTask> TaskList::create(ListedTask task) {
  if (auto good = check_text(task); !good) return std::unexpected(good.error());
  if (tasks_.size() >= kTasksMax) {
    return fail(Errc::limit, "There are " + std::to_string(kTasksMax) + " tasks already: delete some that are done.");
  }
  TaskList after = *this;
  const std::uint64_t number = ++after.last_number_;
  task.id = std::to_string(number);
  const std::vector<std::string> wanted = std::exchange(task.blocked_by, {});
  ListedTask& added = after.tasks_[number] = std::move(task);
  for (const std::string& blocker : wanted) {
    if (auto good = after.add_dependency(added.id, blocker); !good) return std::unexpected(good.error());
  }
  if (auto good = after.check_size(); !good) return std::unexpected(good.error());
  *this = std::move(after);
  return tasks_.at(number);
}

Result<TaskChanged> TaskList::update(std::string_view id, const TaskChange& change) {
  TaskList after = *this;
  const auto found = after.tasks_.find(number_of(id));
  if (found == after.tasks_.end()) return no_such_task(id);
  ListedTask& task = found->second;
  TaskChanged changed;
  if (change.deleted) {
    for (auto& [number, other] : after.tasks_) std::erase(other.blocked_by, task.id);
    changed.status_before = task.status;
    after.tasks_.erase(found);
    changed.fields.emplace_back("deleted");
    *this = std::move(after);
    return changed;
  }
  const bool begins = change.status == ListedTask::Status::in_progress;
  if (begins && task.status == ListedTask::Status::in_progress && change.owner && !task.owner.empty() &&
      *change.owner != task.owner) {
    return fail(Errc::invalid_input, task.owner + " works on task " + task.id +
                                         " already: take another one, or set the owner alone to hand it over.");
  }
  set(task.subject, change.subject, "subject", changed.fields);
  set(task.description, change.description, "description", changed.fields);
  set(task.active_form, change.active_form, "activeForm", changed.fields);
  set(task.owner, change.owner, "owner", changed.fields);
  if (merge_metadata(task.metadata, change.metadata)) changed.fields.emplace_back("metadata");
  const auto before = task.status;
  set(task.status, change.status, "status", changed.fields);
  if (task.status != before) changed.status_before = before;
  for (const std::string& other : change.add_blocked_by) {
    const std::size_t had = task.blocked_by.size();
    if (auto good = after.add_dependency(task.id, other); !good) return std::unexpected(good.error());
    if (task.blocked_by.size() > had) changed.fields.emplace_back("blockedBy");
  }
  for (const std::string& other : change.add_blocks) {
    const std::size_t had = after.blocks(task.id).size();
    if (auto good = after.add_dependency(other, task.id); !good) return std::unexpected(good.error());
    if (after.blocks(task.id).size() > had) changed.fields.emplace_back("blocks");
  }
  std::ranges::sort(changed.fields);
  changed.fields.erase(std::ranges::unique(changed.fields).begin(), changed.fields.end());
  if (const auto open = after.open_blockers(task); begins && !open.empty()) {
    return fail(Errc::invalid_input,
                "Task " + task.id + " waits for " + join(open, ", ") + ": complete or delete that first.");
  }
  if (auto good = check_text(task); !good) return std::unexpected(good.error());
  if (auto good = after.check_size(); !good) return std::unexpected(good.error());
  *this = std::move(after);
  return changed;
}

Result<void> TaskList::add_dependency(std::string_view waiting, std::string_view for_what) {
  const auto first = tasks_.find(number_of(waiting));
  if (first == tasks_.end()) return no_such_task(waiting);
  const auto second = tasks_.find(number_of(for_what));
  if (second == tasks_.end()) return no_such_task(for_what);
  ListedTask& task = first->second;
  const std::string& blocker = second->second.id;
  if (std::ranges::find(task.blocked_by, blocker) != task.blocked_by.end()) return {};
  if (task.id == blocker) return fail(Errc::invalid_input, "Task " + task.id + " cannot wait for itself.");
  if (waits_for(blocker, task.id)) {
    return fail(Errc::invalid_input, "Task " + blocker + " waits for task " + task.id +
                                         " already: if that waited for it too, neither could begin.");
  }
  task.blocked_by.push_back(blocker);
  return {};
}

bool TaskList::waits_for(std::string_view waiting, std::string_view for_what) const {
  std::set<std::string_view> seen;
  std::vector<std::string_view> next = {waiting};
  while (!next.empty()) {
    const std::string_view id = next.back();
    next.pop_back();
    if (!seen.insert(id).second) continue;
    const ListedTask* task = find(id);
    if (!task) continue;
    for (const std::string& blocker : task->blocked_by) {
      if (blocker == for_what) return true;
      next.push_back(blocker);
    }
  }
  return false;
}

const ListedTask* TaskList::find(std::string_view id) const {
  const auto found = tasks_.find(number_of(id));
  return found == tasks_.end() ? nullptr : &found->second;
}

std::vector<const ListedTask*> TaskList::all() const {
  std::vector<const ListedTask*> all;
  for (const auto& [number, task] : tasks_) all.push_back(&task);
  return all;
}

std::vector<std::string> TaskList::blocks(std::string_view id) const {
  std::vector<std::string> blocked;
  const ListedTask* task = find(id);
  if (!task) return blocked;
  for (const auto& [number, other] : tasks_) {
    if (std::ranges::find(other.blocked_by, task->id) != other.blocked_by.end()) blocked.push_back(other.id);
  }
  return blocked;
}

std::vector<std::string> TaskList::open_blockers(const ListedTask& task) const {
  std::vector<std::string> open;
  for (const std::string& id : task.blocked_by) {
    const ListedTask* blocker = find(id);
    if (blocker && blocker->status != ListedTask::Status::completed) open.push_back(id);
  }
  return open;
}

JsonObject TaskList::task_json(const ListedTask& task) const {
  JsonObject json{{"id", task.id}, {"subject", task.subject}, {"description", task.description}};
  if (!task.active_form.empty()) json["activeForm"] = task.active_form;
  json["status"] = to_string(task.status);
  if (!task.owner.empty()) json["owner"] = task.owner;
  json["blocks"] = texts(blocks(task.id));
  json["blockedBy"] = texts(task.blocked_by);
  if (!task.metadata.empty()) json["metadata"] = task.metadata;
  return json;
}

Json TaskList::to_json_value() const {
  JsonArray tasks;
  for (const auto& [number, task] : tasks_) {
    JsonObject json = task_json(task);
    json.stable_erase(json.find("blocks"));
    tasks.push_back(std::move(json));
  }
  return JsonObject{{"last", last_number_}, {"tasks", std::move(tasks)}};
}

TaskList TaskList::from_json(const Json& json) {
  TaskList list;
  list.last_number_ = static_cast<std::uint64_t>(std::max<std::int64_t>(find_int(json, "last").value_or(0), 0));
  const JsonArray* tasks = find_array(json, "tasks");
  if (!tasks) return list;
  for (const Json& one : *tasks) {
    ListedTask task{.id = text_of(one, "id"),
                    .subject = text_of(one, "subject"),
                    .description = text_of(one, "description"),
                    .active_form = text_of(one, "activeForm"),
                    .status = parse_status(text_of(one, "status")).value_or(ListedTask::Status::pending),
                    .owner = text_of(one, "owner")};
    if (const JsonObject* metadata = find_object(one, "metadata")) task.metadata = *metadata;
    const std::uint64_t number = number_of(task.id);
    if (number == 0 || !check_text(task) || list.tasks_.size() >= kTasksMax) continue;
    task.id = std::to_string(number);
    list.last_number_ = std::max(list.last_number_, number);
    list.tasks_[number] = std::move(task);
  }
  // Once all are known, and in the same way as ever: a file that somebody has changed makes no circle.
  for (const Json& one : *tasks) {
    const JsonArray* blockers = find_array(one, "blockedBy");
    for (std::size_t i = 0; blockers && i < blockers->size(); ++i) {
      const Json& blocker = (*blockers)[i];
      if (blocker.is_string()) static_cast<void>(list.add_dependency(text_of(one, "id"), view(blocker.get_string())));
    }
  }
  return list;
}

}  // namespace deft
