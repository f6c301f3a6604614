#include "deft/tools/write.h"

#include "deft/core/file_text.h"
#include "deft/tools/file_change.h"

namespace deft {

namespace {

constexpr std::string_view kDescription =
    "Writes a whole file: a new one, with the folders above it, or in place of an existing one.\n"
    "- An existing file must have been read completely in this session and be unchanged since.\n"
    "- To change parts of a file use Edit: it sends less and hits only what is meant.\n"
    "- An existing file keeps its encoding, byte order mark, kind of line ends, mode and owner.\n"
    "- Write no documentation or README files unless asked for.";

constexpr std::string_view kInputSchema = R"({
  "type": "object",
  "properties": {
    "file_path": {"type": "string", "description": "The absolute path of the file."},
    "content": {"type": "string", "description": "The whole content of the file."}
  },
  "required": ["file_path", "content"],
  "additionalProperties": false
})";

struct Input {
  std::string path;
  std::string_view content;
};

Input parse(const Json& json) {
  return {.path = std::string(find_string(json, "file_path").value_or("")),
          .content = find_string(json, "content").value_or("")};
}

struct Plan {
  std::string path;                   // canonical
  std::optional<ContentId> expected;  // nothing: the file is new
  std::string bytes;
  std::string old_text;  // both as the model sees them
  std::string new_text;
  std::string kept;  // what was kept of the way the old file was written, as "is UTF-16LE"; empty: nothing unusual
};

std::string describe_kept(const FileText& old, bool has_line_ends) {
  std::string kept;
  if (old.encoding() != TextEncoding{}) {
    kept = "is " + std::string(to_string(old.encoding().encoding));
    if (old.encoding().has_mark) kept += " with a byte order mark";
  }
  if (old.line_end() != LineEnd::lf && has_line_ends) {
    kept += (kept.empty() ? "has " : " and has ") + std::string(to_string(old.line_end())) + " line ends";
  }
  return kept;
}

// The content in the encoding and with the line ends of the old file.
Result<void> write_like(const FileText& old, const Input& input, Plan& plan) {
  std::string_view content = input.content;
  const std::string_view mark = byte_order_mark(old.encoding());
  if (!mark.empty() && content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  auto bytes = old.encode(content, old.line_end());
  if (!bytes) {
    return fail(Errc::invalid_input, "The content cannot be written into " + input.path + ": " + bytes.error().message +
                                         "; leave that out, or remove the file first to begin a new one in UTF-8.");
  }
  plan.bytes = std::string(mark) + *bytes;
  plan.old_text = old.text();
  plan.kept = describe_kept(old, content.find('\n') != std::string_view::npos);
  if (const auto now = FileText::of(plan.bytes)) plan.new_text = now->text();
  return {};
}

Result<Plan> make_plan(const Input& input, ToolIo& io) {
  const auto path = io.os.files.canonical(input.path);
  if (!path) return std::unexpected(path.error());
  const auto status = io.os.files.status(*path);
  if (!status) return std::unexpected(status.error());
  Plan plan{.path = *path, .bytes = std::string(input.content), .new_text = std::string(input.content)};
  if (status->kind == FileKind::missing) return plan;
  if (status->kind != FileKind::regular) return std::unexpected(not_a_regular_file(*path, status->kind));

  const auto target = open_for_change(input.path, io);
  if (!target) return std::unexpected(target.error());
  plan.expected = ContentId{target->seen.size, target->seen.content_hash};
  const auto old = FileText::of(target->file.content.bytes);
  if (!old) {
    return fail(Errc::unsupported,
                input.path + " is binary, not text: remove it first if it shall become a text file.");
  }
  if (auto shown = check_all_was_shown(input.path, target->seen, split_lines(old->text()).size()); !shown) {
    return std::unexpected(shown.error());
  }
  if (auto written = write_like(*old, input, plan); !written) return std::unexpected(written.error());
  return plan;
}

class WriteTool final : public Tool {
 public:
  WriteTool()
      : spec_{.name = "Write",
              .description = std::string(kDescription),
              .input_schema = parse_json(kInputSchema).value(),
              .search_hint = "create new file or replace whole content",
              .path_fields = {"file_path"}} {}

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
    if (io.stop.stop_requested()) return fail(Errc::cancelled, "Cancelled; the file was not written.");
    const auto replaced = io.os.files.replace(plan->path, plan->bytes, plan->expected);
    if (!replaced) return std::unexpected(replaced.error());

    const Lines old_lines = split_lines(plan->old_text);
    const Lines new_lines = split_lines(plan->new_text);
    const bool is_new = !plan->expected.has_value();
    JsonArray patch;
    if (!is_new) patch = structured_patch(old_lines, new_lines, diff_lines(old_lines, new_lines), kPatchBytesMax);
    JsonObject details = {{"type", is_new ? "create" : "update"},
                          {"filePath", input.path},
                          {"content", input.content},
                          {"structuredPatch", std::move(patch)},
                          {"originalFile", is_new ? Json(nullptr) : original_file(plan->old_text)},
                          {"userModified", false}};
    std::string note = in_place_note(*replaced);
    if (!plan->kept.empty()) note += (note.empty() ? "It still " : " It still ") + plan->kept + ".";
    if (!note.empty()) details["note"] = note;
    return ToolResult{.details = std::move(details),
                      .modifiers = {FileWasSeen{seen_wholly(plan->path, replaced->status, plan->bytes)}}};
  }

  void map_result(const Json&, ToolResult& result) const override {
    const auto path = find_string(result.details, "filePath");
    const JsonArray* patch = find_array(result.details, "structuredPatch");
    if (!path || !patch) return;
    const bool is_new = find_string(result.details, "type") == "create";
    result.text = (is_new ? "Created " : "Wrote ") + std::string(*path) + ".";
    if (const auto note = find_string(result.details, "note")) result.text += " " + std::string(*note);
    if (!patch->empty()) result.text += " What changed:\n" + patch_excerpt(*patch);
  }

 private:
  const ToolSpec spec_;
};

}  // namespace

std::shared_ptr<Tool> make_write_tool() { return std::make_shared<WriteTool>(); }

}  // namespace deft
