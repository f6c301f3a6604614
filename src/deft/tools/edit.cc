#include "deft/tools/edit.h"

#include "deft/core/edit.h"
#include "deft/core/notebook.h"
#include "deft/tools/file_change.h"

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

struct Plan {
  std::string path;                   // canonical
  std::optional<ContentId> expected;  // nothing: the file is new
  AppliedEdit edit;
  FileSeen seen;  // before
};

Result<Plan> plan_new_file(const Input& input, ToolIo& io) {
  const auto path = io.os.files.canonical(input.path);
  if (!path) return std::unexpected(path.error());
  const auto status = io.os.files.status(*path);
  if (!status) return std::unexpected(status.error());
  if (status->kind == FileKind::regular) {
    return fail(Errc::invalid_input,
                "old_string is empty, but " + input.path + " exists: give the text to be replaced, or use Write.");
  }
  if (status->kind != FileKind::missing) return std::unexpected(not_a_regular_file(*path, status->kind));
  AppliedEdit edit{.bytes = std::string(input.new_string), .new_text = std::string(input.new_string)};
  return Plan{.path = *path, .expected = std::nullopt, .edit = std::move(edit), .seen = {}};
}

Result<Plan> make_plan(const Input& input, ToolIo& io) {
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
  return Plan{.path = std::move(target->file.path),
              .expected = ContentId{target->seen.size, target->seen.content_hash},
              .edit = std::move(*edit),
              .seen = std::move(target->seen)};
}

// Our own change counts as a read of what it wrote.
FileSeen seen_afterwards(const Plan& plan, const FileStatus& status) {
  FileSeen seen = seen_wholly(plan.path, status, plan.edit.bytes);
  seen.whole = plan.seen.whole || !plan.expected;
  if (!seen.whole) seen.lines = move_ranges(plan.seen.lines, plan.edit.changes);
  return seen;
}

class EditTool final : public Tool {
 public:
  EditTool()
      : spec_{.name = "Edit",
              .description = std::string(kDescription),
              .input_schema = parse_json(kInputSchema).value(),
              .search_hint = "change replace modify text in a file",
              .path_fields = {"file_path"}} {}

  const ToolSpec& spec() const override { return spec_; }
  std::optional<Footprint> footprint(const Json& json, const SessionView&) const override {
    const Input input = parse(json);
    if (input.old_string.empty()) return Footprint::writes(input.path);
    return Footprint::writes(input.path).and_reads(input.path);
  }

  Result<void> validate(const Json& json, ToolIo& io) const override {
    if (auto plan = make_plan(parse(json), io); !plan) return std::unexpected(plan.error());
    return {};
  }

  Result<ToolResult> run(const Json& json, ToolIo& io) override {
    const Input input = parse(json);
    const auto plan = make_plan(input, io);
    if (!plan) return std::unexpected(plan.error());
    if (io.stop.stop_requested()) return fail(Errc::cancelled, "Cancelled; the file was not changed.");
    const auto replaced = io.os.files.replace(plan->path, plan->edit.bytes, plan->expected);
    if (!replaced) return std::unexpected(replaced.error());

    const JsonArray patch = structured_patch(split_lines(plan->edit.old_text), split_lines(plan->edit.new_text),
                                             plan->edit.changes, kPatchBytesMax);
    JsonObject details = {{"filePath", input.path},
                          {"oldString", input.old_string},
                          {"newString", input.new_string},
                          {"originalFile", plan->expected ? original_file(plan->edit.old_text) : Json(nullptr)},
                          {"structuredPatch", patch},
                          {"userModified", false},
                          {"replaceAll", input.replace_all},
                          {"replacements", plan->edit.replaced.size()}};
    if (!replaced->in_place_because.empty()) details["note"] = in_place_note(*replaced);
    return ToolResult{.details = std::move(details),
                      .modifiers = {FileWasSeen{seen_afterwards(*plan, replaced->status)}}};
  }

  void map_result(const Json&, ToolResult& result) const override {
    const auto path = find_string(result.details, "filePath");
    const JsonArray* patch = find_array(result.details, "structuredPatch");
    if (!path || !patch) return;
    const std::int64_t replacements = find_int(result.details, "replacements").value_or(0);
    result.text = (replacements == 0 ? "Created " : "Edited ") + std::string(*path);
    if (replacements > 1) result.text += " in " + std::to_string(replacements) + " places";
    result.text += ".";
    if (const auto note = find_string(result.details, "note")) result.text += " " + std::string(*note);
    if (!patch->empty()) result.text += " It now reads:\n" + patch_excerpt(*patch);
  }

 private:
  const ToolSpec spec_;
};

}  // namespace

std::shared_ptr<Tool> make_edit_tool() { return std::make_shared<EditTool>(); }

}  // namespace deft
