#include "deft/tools/notebook_edit.h"

#include "deft/core/notebook.h"
#include "deft/tools/file_change_tool.h"

namespace deft {

namespace {

constexpr std::string_view kDescription =
    "Changes one cell of a Jupyter notebook (.ipynb).\n"
    "- The notebook must have been read in this session and be unchanged since; Read shows the ids of its cells.\n"
    "- edit_mode replace (the default) gives the cell cell_id a new source, and with cell_type another type; its "
    "outputs stay until it is run again.\n"
    "- insert puts a new cell of the given cell_type after the cell cell_id, or before all others without one.\n"
    "- delete removes the cell cell_id; new_source is then ignored.\n"
    "- Everything else in the file stays as it is.";

constexpr std::string_view kInputSchema = R"({
  "type": "object",
  "properties": {
    "notebook_path": {"type": "string", "description": "The absolute path of the notebook."},
    "new_source": {"type": "string", "description": "The new source of the cell."},
    "cell_id": {"type": "string", "description": "The id of the cell; for insert, of the cell before the new one."},
    "cell_type": {"type": "string", "enum": ["code", "markdown"], "description": "The type of the cell; needed for insert."},
    "edit_mode": {"type": "string", "enum": ["replace", "insert", "delete"], "default": "replace"}
  },
  "required": ["notebook_path", "new_source"],
  "additionalProperties": false
})";

struct Input {
  std::string path;
  std::string mode;
  CellEdit edit;
};

Input parse(const Json& json) {
  const auto optional_text = [&](std::string_view key) {
    const auto found = find_string(json, key);
    return found ? std::optional<std::string>(*found) : std::nullopt;
  };
  Input input{.path = optional_text("notebook_path").value_or(""),
              .mode = optional_text("edit_mode").value_or("replace"),
              .edit = {.cell_id = optional_text("cell_id"),
                       .cell_type = optional_text("cell_type"),
                       .source = optional_text("new_source").value_or("")}};
  if (input.mode == "insert") input.edit.mode = CellEdit::Mode::insert;
  if (input.mode == "delete") input.edit.mode = CellEdit::Mode::erase;
  return input;
}

Result<PlannedChange> make_plan(const Input& input, ToolIo& io) {
  if (!has_notebook_name(input.path)) {
    return fail(Errc::invalid_input, input.path + " is not a notebook (.ipynb): change it with Edit.");
  }
  auto target = open_for_change(input.path, io);
  if (!target) return std::unexpected(target.error());
  auto edited = edit_notebook(target->file.content.bytes, input.edit);
  if (!edited && edited.error().code != Errc::unsupported) return std::unexpected(edited.error());
  if (!edited) {
    return fail(Errc::unsupported,
                input.path + " cannot be changed by cells: " + edited.error().message + "; change its text with Edit.");
  }
  PlannedChange plan{.path = target->file.path, .bytes = edited->bytes, .whole_was_seen = target->seen.whole};
  plan.details = [input, original = original_file(target->file.content.bytes), edited = std::move(*edited)] {
    JsonObject details = {{"new_source", input.edit.source}, {"cell_id", edited.cell_id},
                          {"cell_type", edited.cell_type},   {"language", edited.language},
                          {"edit_mode", input.mode},         {"notebook_path", input.path},
                          {"original_file", original},       {"updated_file", original_file(edited.bytes)}};
    if (edited.old_source) details["old_source"] = *edited.old_source;
    return details;
  };
  plan.target = std::move(*target);
  return plan;
}

class NotebookEditTool final : public FileChangeTool {
 public:
  explicit NotebookEditTool(std::shared_ptr<FileChangeObserver> observer)
      : FileChangeTool({.name = "NotebookEdit",
                        .description = std::string(kDescription),
                        .input_schema = parse_json(kInputSchema).value(),
                        .search_hint = "change insert delete cell of Jupyter ipynb",
                        .path_fields = {"notebook_path"}},
                       std::move(observer)) {}

  std::optional<Footprint> footprint(const Json& json, const SessionView&) const override {
    return Footprint::writes(parse(json).path);
  }

  void map_result(const Json&, ToolResult& result) const override {
    const auto path = find_string(result.details, "notebook_path");
    const auto mode = find_string(result.details, "edit_mode");
    const auto id = find_string(result.details, "cell_id");
    if (!path || !mode || !id) return;
    const char* done = *mode == "insert" ? "Inserted" : *mode == "delete" ? "Deleted" : "Replaced";
    result.text =
        std::string(done) + " the cell " + std::string(*id) + " of " + std::string(*path) + "." + note_of(result);
    result.text += findings_of(result);
  }

 private:
  Result<PlannedChange> plan(const Json& json, ToolIo& io) const override { return make_plan(parse(json), io); }
};

}  // namespace

std::shared_ptr<Tool> make_notebook_edit_tool(std::shared_ptr<FileChangeObserver> observer) {
  return std::make_shared<NotebookEditTool>(std::move(observer));
}

}  // namespace deft
