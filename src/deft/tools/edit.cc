#include "deft/tools/edit.h"

#include "deft/core/edit.h"
#include "deft/core/notebook.h"
#include "deft/tools/file_change_tool.h"

namespace deft {

namespace {

constexpr std::string_view kDescription =
    "Replaces text in a file, exactly.\n"
    "- The file must have been read in this session, at least the lines that change, and be unchanged since.\n"
    "- old_string is text of the file, with its exact white space and indentation and without the line numbers that "
    "Read shows. It must occur once: take in more lines around it until it does, or set replace_all to change every "
    "occurrence, as when renaming.\n"
    "- new_string is what takes its place, and must be different.\n"
    "- An empty old_string makes a new file of new_string, where none is.\n"
    "- Encoding, line ends, mode and everything outside the change are kept.\n"
    "- Better than rewriting a file with Write, and than sed or a script: it cannot hit the wrong place unnoticed.";

constexpr std::string_view kInputSchema = R"({
  "type": "object",
  "properties": {
    "file_path": {"type": "string", "description": "The absolute path of the file."},
    "old_string": {"type": "string", "description": "The text to replace, exactly as it is in the file."},
    "new_string": {"type": "string", "description": "The text to put in its place."},
    "replace_all": {"type": "boolean", "default": false, "description": "Replace every occurrence of old_string."}
  },
  "required": ["file_path", "old_string", "new_string"],
  "additionalProperties": false
})";

struct Input {
  std::string path;
  std::string_view old_string;
  std::string_view new_string;
  bool replace_all = false;
};

Input parse(const Json& json) {
  return {.path = std::string(find_string(json, "file_path").value_or("")),
          .old_string = find_string(json, "old_string").value_or(""),
          .new_string = find_string(json, "new_string").value_or(""),
          .replace_all = find_bool(json, "replace_all").value_or(false)};
}

PlannedChange plan_of(const Input& input, std::string path, AppliedEdit edit) {
  PlannedChange plan{.path = std::move(path), .bytes = std::move(edit.bytes)};
  plan.details = [input, edit = std::move(edit)] {
    const JsonArray patch =
        structured_patch(split_lines(edit.old_text), split_lines(edit.new_text), edit.changes, kPatchBytesMax);
    return JsonObject{{"filePath", input.path},
                      {"oldString", input.old_string},
                      {"newString", input.new_string},
                      {"originalFile", input.old_string.empty() ? Json(nullptr) : original_file(edit.old_text)},
                      {"structuredPatch", patch},
                      {"userModified", false},
                      {"replaceAll", input.replace_all},
                      {"replacements", edit.replaced.size()}};
  };
  return plan;
}

Result<PlannedChange> plan_new_file(const Input& input, ToolIo& io) {
  auto place = find_place(input.path, io);
  if (!place) return std::unexpected(place.error());
  if (place->exists) {
    return fail(Errc::invalid_input,
                "old_string is empty, but " + input.path + " exists: give the text to be replaced, or use Write.");
  }
  AppliedEdit edit{.bytes = std::string(input.new_string), .new_text = std::string(input.new_string)};
  return plan_of(input, std::move(place->path), std::move(edit));
}

Result<PlannedChange> make_plan(const Input& input, ToolIo& io) {
  if (input.old_string == input.new_string) {
    return fail(Errc::invalid_input, "old_string and new_string are the same: there is nothing to change.");
  }
  if (input.old_string.empty()) return plan_new_file(input, io);
  auto target = open_for_change(input.path, io);
  if (!target) return std::unexpected(target.error());
  const std::string& bytes = target->file.content.bytes;
  if (has_notebook_name(target->file.path) && parse_notebook(bytes)) {
    return fail(Errc::unsupported, input.path + " is a notebook: change its cells with NotebookEdit.");
  }
  auto edit =
      apply_edit(bytes, {.old_text = input.old_string, .new_text = input.new_string, .replace_all = input.replace_all});
  if (!edit) return std::unexpected(edit.error());
  if (auto shown = check_lines_were_shown(input.path, target->seen, edit->replaced); !shown) {
    return std::unexpected(shown.error());
  }
  const bool whole_was_seen = target->seen.whole;
  std::vector<LineRange> lines_seen;
  if (!whole_was_seen) lines_seen = move_ranges(target->seen.lines, edit->changes);
  PlannedChange plan = plan_of(input, target->file.path, std::move(*edit));
  plan.target = std::move(*target);
  plan.whole_was_seen = whole_was_seen;
  plan.lines_seen = std::move(lines_seen);
  return plan;
}

class EditTool final : public FileChangeTool {
 public:
  explicit EditTool(std::shared_ptr<FileChangeObserver> observer)
      : FileChangeTool({.name = "Edit",
                        .description = std::string(kDescription),
                        .input_schema = parse_json(kInputSchema).value(),
                        .search_hint = "change replace modify text in a file",
                        .path_fields = {"file_path"}},
                       std::move(observer)) {}

  std::optional<Footprint> footprint(const Json& json, const SessionView&) const override {
    const Input input = parse(json);
    if (input.old_string.empty()) return Footprint::writes(input.path);
    return Footprint::writes(input.path).and_reads(input.path);
  }

  void map_result(const Json&, ToolResult& result) const override {
    const auto path = find_string(result.details, "filePath");
    const JsonArray* patch = find_array(result.details, "structuredPatch");
    if (!path || !patch) return;
    const std::int64_t replacements = find_int(result.details, "replacements").value_or(0);
    result.text = (replacements == 0 ? "Created " : "Edited ") + std::string(*path);
    if (replacements > 1) result.text += " in " + std::to_string(replacements) + " places";
    result.text += "." + note_of(result);
    if (!patch->empty()) result.text += " It now reads:\n" + patch_excerpt(*patch);
    result.text += findings_of(result);
  }

 private:
  Result<PlannedChange> plan(const Json& json, ToolIo& io) const override { return make_plan(parse(json), io); }
};

}  // namespace

std::shared_ptr<Tool> make_edit_tool(std::shared_ptr<FileChangeObserver> observer) {
  return std::make_shared<EditTool>(std::move(observer));
}

}  // namespace deft
