#include "deft/agent/modifier_json.h"

#include <limits>

#include "deft/base/base64.h"
#include "deft/base/json_members.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

// One of them while it is being written: every file that is read makes one.
class ModifierText : public JsonMembers<ModifierText> {
 public:
  explicit ModifierText(std::string_view kind) { text("kind", kind); }

  // JSON is UTF-8, names of files need not be.
  ModifierText& path(const std::string& path) {
    return is_utf8(path) ? text("path", path) : text("path_base64", to_base64(path));
  }
  ModifierText& ranges(std::string_view key, const std::vector<LineRange>& ranges) {
    if (ranges.empty()) return *this;
    std::string json;
    for (const LineRange& range : ranges) {
      json += json.empty() ? "[[" : ",[";
      json += std::to_string(range.first);
      json += ',';
      json += std::to_string(range.last);
      json += ']';
    }
    return raw(key, json += ']');
  }
  std::string whole() const { return "{" + members().substr(1) + "}"; }
};

std::string path_of(const Json& json) {
  if (const auto encoded = find_string(json, "path_base64")) return from_base64(*encoded).value_or("");
  return std::string(find_string(json, "path").value_or(""));
}

std::optional<std::uint64_t> line_number(const Json& json) {
  if (const auto* number = json.if_uint64()) return *number;
  const auto* number = json.if_int64();
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::vector<LineRange> ranges_of(const Json& json, std::string_view key) {
  std::vector<LineRange> ranges;
  const JsonArray* array = find_array(json, key);
  if (!array) return ranges;
  for (const Json& pair : *array) {
    const JsonArray* ends = pair.if_array();
    if (!ends || ends->size() != 2) continue;
    const auto first = line_number((*ends)[0]);
    const auto last = line_number((*ends)[1]);
    if (first && last && *last < std::numeric_limits<std::uint64_t>::max()) ranges.push_back({*first, *last});
  }
  return ranges;
}

std::string seen_text(const FileSeen& seen) {
  ModifierText text("file_seen");
  text.path(seen.path).number("modified_ns", seen.modified_ns);
  text.raw("size", std::to_string(seen.size)).text("hash", seen.content_hash).flag("whole", seen.whole);
  return text.ranges("lines", seen.lines).ranges("read", seen.read).whole();
}

FileSeen seen_of(const Json& json) {
  const Json* size = find(json, "size");
  return {.path = path_of(json),
          .modified_ns = find_int(json, "modified_ns").value_or(0),
          .size = size ? line_number(*size).value_or(0) : 0,
          .content_hash = std::string(find_string(json, "hash").value_or("")),
          .whole = find_bool(json, "whole").value_or(false),
          .lines = ranges_of(json, "lines"),
          .read = ranges_of(json, "read")};
}

std::vector<std::string> names_of(const Json& json) {
  std::vector<std::string> names;
  const JsonArray* array = find_array(json, "names");
  if (!array) return names;
  for (const Json& name : *array) {
    if (name.is_string()) names.emplace_back(view(name.get_string()));
  }
  return names;
}

std::string text_at(const Json& json, std::string_view key) { return std::string(find_string(json, key).value_or("")); }

std::string worktree_text(const WorktreeChanged& changed) {
  if (!changed.stay) return ModifierText("worktree_left").whole();
  const WorktreeStay& stay = *changed.stay;
  ModifierText text("worktree");
  text.path(stay.path).text("from", stay.from).text("branch", stay.branch).text("base", stay.base);
  return text.flag("made_here", stay.is_made_here).flag("by_hook", stay.is_by_hook).whole();
}

WorktreeStay worktree_of(const Json& json) {
  return {.path = path_of(json),
          .from = text_at(json, "from"),
          .branch = text_at(json, "branch"),
          .base = text_at(json, "base"),
          .is_made_here = find_bool(json, "made_here").value_or(false),
          .is_by_hook = find_bool(json, "by_hook").value_or(false)};
}

}  // namespace

std::string modifiers_json(const std::vector<Modifier>& modifiers) {
  std::string json = "[";
  const auto add = [&](const std::string& one) {
    if (json.size() > 1) json += ',';
    json += one;
  };
  for (const Modifier& modifier : modifiers) {
    if (const auto* moved = std::get_if<WorkingDirectoryChanged>(&modifier)) {
      add(ModifierText("directory").path(moved->path).whole());
    }
    if (const auto* file = std::get_if<FileWasSeen>(&modifier)) add(seen_text(file->seen));
    if (const auto* replaced = std::get_if<TodosReplaced>(&modifier)) {
      add(ModifierText("todos").json("todos", todos_json(replaced->todos)).whole());
    }
    if (const auto* more = std::get_if<ToolsLoaded>(&modifier)) {
      JsonArray names;
      for (const std::string& name : more->names) names.emplace_back(name);
      add(ModifierText("tools_loaded").json("names", std::move(names)).whole());
    }
    if (const auto* changed = std::get_if<WorktreeChanged>(&modifier)) add(worktree_text(*changed));
  }
  return json += ']';
}

std::vector<Modifier> modifiers_of(const Json& json) {
  std::vector<Modifier> modifiers;
  const JsonArray* array = json.if_array();
  if (!array) return modifiers;
  for (const Json& one : *array) {
    const auto kind = find_string(one, "kind");
    if (kind == "todos") {
      const Json* list = find(one, "todos");
      if (auto todos = todos_of(list ? *list : Json())) modifiers.emplace_back(TodosReplaced{std::move(*todos)});
    }
    if (kind == "tools_loaded") modifiers.emplace_back(ToolsLoaded{names_of(one)});
    if (kind == "worktree_left") modifiers.emplace_back(WorktreeChanged{});
    if (!path_of(one).starts_with('/')) continue;
    if (kind == "worktree") modifiers.emplace_back(WorktreeChanged{worktree_of(one)});
    if (kind == "directory") modifiers.emplace_back(WorkingDirectoryChanged{path_of(one)});
    if (kind == "file_seen") modifiers.emplace_back(FileWasSeen{seen_of(one)});
  }
  return modifiers;
}

}  // namespace deft
