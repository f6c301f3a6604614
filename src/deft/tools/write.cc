#include "deft/tools/write.h"

#include "deft/core/file_text.h"
#include "deft/tools/file_change_tool.h"

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
Result<std::string> write_like(const FileText& old, const Input& input) {
  std::string_view content = input.content;
  const std::string_view mark = byte_order_mark(old.encoding());
  if (!mark.empty() && content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  const auto bytes = old.encode(content, old.line_end());
  if (bytes) return std::string(mark) + *bytes;
  return fail(Errc::invalid_input, "The content cannot be written into " + input.path + ": " + bytes.error().message +
                                       "; leave that out, or remove the file first to begin a new one in UTF-8.");
}

// As the model would see it. Not decoded from the new bytes: so few of them may be taken for another encoding.
std::string text_of_new_file(std::string_view content) {
  std::string text;
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  for (std::size_t i = 0; i < content.size(); ++i) {
    if (!content.substr(i).starts_with("\r\n")) text += content[i];
  }
  return text;
}

Result<PlannedChange> plan_new_file(const Input& input, std::string path) {
  PlannedChange plan{.path = std::move(path), .bytes = std::string(input.content)};
  plan.details = [input] {
    return JsonObject{{"type", "create"},         {"filePath", input.path},
                      {"content", input.content}, {"structuredPatch", JsonArray{}},
                      {"originalFile", nullptr},  {"userModified", false}};
  };
  return plan;
}

Result<PlannedChange> make_plan(const Input& input, ToolIo& io) {
  auto place = find_place(input.path, io);
  if (!place) return std::unexpected(place.error());
  if (!place->exists) return plan_new_file(input, std::move(place->path));

  auto target = open_for_change(input.path, io);
  if (!target) return std::unexpected(target.error());
  const auto old = FileText::of(target->file.content.bytes);
  if (!old) {
    return fail(Errc::unsupported,
                input.path + " is binary, not text: remove it first if it shall become a text file.");
  }
  if (auto shown = check_all_was_shown(input.path, target->seen, split_lines(old->text()).size()); !shown) {
    return std::unexpected(shown.error());
  }
  auto bytes = write_like(*old, input);
  if (!bytes) return std::unexpected(bytes.error());
  const std::string kept = describe_kept(*old, input.content.find('\n') != std::string_view::npos);
  PlannedChange plan{
      .path = std::move(place->path), .bytes = std::move(*bytes), .note = kept.empty() ? "" : "It still " + kept + "."};
  plan.details = [input, old_text = std::string(old->text())] {
    const std::string new_text = text_of_new_file(input.content);
    const Lines old_lines = split_lines(old_text);
    const Lines new_lines = split_lines(new_text);
    return JsonObject{
        {"type", "update"},
        {"filePath", input.path},
        {"content", input.content},
        {"structuredPatch", structured_patch(old_lines, new_lines, diff_lines(old_lines, new_lines), kPatchBytesMax)},
        {"originalFile", original_file(old_text)},
        {"userModified", false}};
  };
  plan.target = std::move(*target);
  return plan;
}

class WriteTool final : public FileChangeTool {
 public:
  explicit WriteTool(std::shared_ptr<FileChangeObserver> observer)
      : FileChangeTool({.name = "Write",
                        .description = std::string(kDescription),
                        .input_schema = parse_json(kInputSchema).value(),
                        .search_hint = "create new file or replace whole content",
                        .path_fields = {"file_path"}},
                       std::move(observer)) {}

  std::optional<Footprint> footprint(const Json& json, const SessionView&) const override {
    return Footprint::writes(parse(json).path);
  }

  void map_result(const Json&, ToolResult& result) const override {
    const auto path = find_string(result.details, "filePath");
    const JsonArray* patch = find_array(result.details, "structuredPatch");
    if (!path || !patch) return;
    const bool is_new = find_string(result.details, "type") == "create";
    result.text = (is_new ? "Created " : "Wrote ") + std::string(*path) + "." + note_of(result);
    if (!patch->empty()) result.text += " What changed:\n" + patch_excerpt(*patch);
    result.text += findings_of(result);
  }

 private:
  Result<PlannedChange> plan(const Json& json, ToolIo& io) const override { return make_plan(parse(json), io); }
};

}  // namespace

std::shared_ptr<Tool> make_write_tool(std::shared_ptr<FileChangeObserver> observer) {
  return std::make_shared<WriteTool>(std::move(observer));
}

}  // namespace deft
