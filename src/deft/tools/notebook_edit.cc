#include "deft/tools/notebook_edit.h"

#include "deft/core/notebook.h"
#include "deft/tools/file_change.h"

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

struct Plan {
  FileToChange target;
  EditedNotebook edited;
};

Result<Plan> make_plan(const Input& input, ToolIo& io) {
  if (!has_notebook_name(input.path)) {
    return fail(Errc::invalid_input, input.path + " is not a notebook (.ipynb): change it with Edit.");
  }
  auto target = open_for_change(input.path, io);
  if (!target) return std::unexpected(target.error());
  auto edited = edit_notebook(target->file.content.bytes, input.edit);
  if (edited) return Plan{std::move(*target), std::move(*edited)};
  if (edited.error().code != Errc::unsupported) return std::unexpected(edited.error());
  return fail(Errc::unsupported,
              input.path + " cannot be changed by cells: " + edited.error().message + "; change its text with Edit.");
}

class NotebookEditTool final : public Tool {
 public:
  NotebookEditTool()
      : spec_{.name = "NotebookEdit",
              .description = std::string(kDescription),
              .input_schema = parse_json(kInputSchema).value(),
              .search_hint = "change insert delete cell of Jupyter ipynb",
              .path_fields = {"notebook_path"}} {}

  const ToolSpec& spec() const override { return spec_; }
  std::optional<Footprint> footprint(const Json& json, const SessionView&) const override { return Footprint::writes(parse(json).path); }

  Result<void> validate(const Json& json, ToolIo& io) const override {
    if (auto plan = make_plan(parse(json), io); !plan) return std::unexpected(plan.error());
    return {};
  }

  Result<ToolResult> run(const Json& json, ToolIo& io) override {
    const Input input = parse(json);
    const auto plan = make_plan(input, io);
    if (!plan) return std::unexpected(plan.error());
    if (io.stop.stop_requested()) return fail(Errc::cancelled, "Cancelled; the notebook was not changed.");
    const auto& [target, edited] = *plan;
    const ContentId expected{target.seen.size, target.seen.content_hash};
    const auto replaced = io.os.files.replace(target.file.path, edited.bytes, expected);
    if (!replaced) return std::unexpected(replaced.error());

    JsonObject details = {{"new_source", input.edit.source},
                          {"cell_id", edited.cell_id},
                          {"cell_type", edited.cell_type},
                          {"language", edited.language},
                          {"edit_mode", input.mode},
                          {"notebook_path", input.path},
                          {"original_file", original_file(target.file.content.bytes)},
                          {"updated_file", original_file(edited.bytes)}};
    if (edited.old_source) details["old_source"] = *edited.old_source;
    if (!replaced->in_place_because.empty()) details["note"] = in_place_note(*replaced);
    FileSeen seen = seen_wholly(target.file.path, replaced->status, edited.bytes);
    seen.whole = target.seen.whole;
    return ToolResult{.details = std::move(details), .modifiers = {FileWasSeen{std::move(seen)}}};
  }

  void map_result(const Json&, ToolResult& result) const override {
    const auto path = find_string(result.details, "notebook_path");
    const auto mode = find_string(result.details, "edit_mode");
    const auto id = find_string(result.details, "cell_id");
    if (!path || !mode || !id) return;
    const char* done = *mode == "insert" ? "Inserted" : *mode == "delete" ? "Deleted" : "Replaced";
    result.text = std::string(done) + " the cell " + std::string(*id) + " of " + std::string(*path) + ".";
    if (const auto note = find_string(result.details, "note")) result.text += " " + std::string(*note);
  }

 private:
  const ToolSpec spec_;
};

}  // namespace

std::shared_ptr<Tool> make_notebook_edit_tool() { return std::make_shared<NotebookEditTool>(); }

}  // namespace deft
