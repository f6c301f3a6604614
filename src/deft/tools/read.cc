#include "deft/tools/read.h"

#include <algorithm>

#include "deft/base/base64.h"
#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/core/file_text.h"
#include "deft/core/image_info.h"
#include "deft/core/notebook.h"
#include "deft/core/patch.h"
#include "deft/tools/file_access.h"
#include "deft/tools/image_block.h"
#include "deft/tools/numbered_lines.h"
#include "deft/tools/read_notebook.h"
#include "deft/tools/read_pdf.h"
#include "deft/tools/shown_image.h"

namespace deft {

namespace {

constexpr std::size_t kNoticeCharactersMax = 500;
constexpr std::size_t kBriefReadBytesMax = std::size_t{256} << 10;

constexpr std::string_view kDescription =
    "Reads a file and shows its lines, each after its number and a tab.\n"
    "- file_path is absolute. Up to 2,000 lines come at once: for a part of a large file give offset (the first line, "
    "from 1) and limit (how many lines).\n"
    "- Lines over 2,000 characters are cut; with limit 1 a line comes whole.\n"
    "- Pictures (PNG, JPEG, GIF, WebP) are shown as pictures, large ones scaled down; notebooks (.ipynb) as cells with "
    "their outputs: there offset and limit count cells.\n"
    "- PDF files are shown by pages: their text, or the picture of a page that has none. Of more than 10 pages name "
    "those that you want, at most 20 at once, as in pages \"1-5\".\n"
    "- A directory cannot be read: list it.\n"
    "- Read before you change: Edit and Write refuse a file that was not read, or has changed since.\n"
    "- When several files may matter, read them with several calls in one message.";

constexpr std::string_view kInputSchema = R"({
  "type": "object",
  "properties": {
    "file_path": {"type": "string", "description": "The absolute path of the file."},
    "offset": {"type": "integer", "minimum": 0, "description": "The first line to show, counted from 1."},
    "limit": {"type": "integer", "minimum": 1, "description": "How many lines to show."},
    "pages": {"type": "string", "description": "For a PDF: the page or pages to show, as \"3\" or \"1-5\"; at most 20."}
  },
  "required": ["file_path"]
})";

struct Input {
  std::string path;
  std::size_t offset = 1;
  std::optional<std::size_t> limit;
  std::string pages;
};

Input parse(const Json& json) {
  Input input;
  input.path = find_string(json, "file_path").value_or("");
  input.offset = static_cast<std::size_t>(std::max<std::int64_t>(1, find_int(json, "offset").value_or(1)));
  if (const auto limit = find_int(json, "limit"); limit && *limit > 0) input.limit = static_cast<std::size_t>(*limit);
  input.pages = find_string(json, "pages").value_or("");
  return input;
}

std::string_view without_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

// A part of a text, within the limits.
struct Excerpt {
  std::string content;  // lines with "\n" between them
  std::size_t line_count = 0;
  std::vector<LineRange> whole_lines;  // shown to their ends
  bool hit_cap = false;
};

std::string cut_line(std::string_view line, std::size_t number, std::size_t characters_max, std::size_t characters) {
  return std::string(first_characters(line, characters_max)) + " … [cut: " + std::to_string(characters_max) + " of " +
         std::to_string(characters) + " characters; offset " + std::to_string(number) + " with limit 1 shows more]";
}

Excerpt take_excerpt(const Lines& lines, const Input& input) {
  const std::size_t room_max = kReadCharactersMax - kNoticeCharactersMax;
  const bool is_alone = input.limit == std::size_t{1};
  const std::size_t line_max = is_alone ? room_max - kNoticeCharactersMax : kReadLineCharactersMax;
  const std::size_t count = std::min(input.limit.value_or(kReadLinesDefault), lines.size() - (input.offset - 1));
  Excerpt excerpt;
  std::size_t room = room_max;
  for (; excerpt.line_count < count; ++excerpt.line_count) {
    const std::size_t number = input.offset + excerpt.line_count;
    const std::string_view line = without_end(lines[number - 1]);
    const std::size_t characters = count_characters(line);
    const bool is_cut = characters > line_max;
    const std::string cut = is_cut ? cut_line(line, number, line_max, characters) : "";
    const std::size_t cost = numbered_characters(number) + (is_cut ? count_characters(cut) : characters);
    if (cost > room) {
      excerpt.hit_cap = true;
      break;
    }
    room -= cost;
    if (excerpt.line_count > 0) excerpt.content += '\n';
    excerpt.content += is_cut ? std::string_view(cut) : line;
    // What is longer than can ever be shown counts as shown: nobody could see more of it.
    if (is_cut && !is_alone) continue;
    if (!excerpt.whole_lines.empty() && excerpt.whole_lines.back().last + 1 == number) {
      excerpt.whole_lines.back().last = number;
    } else {
      excerpt.whole_lines.push_back({number, number});
    }
  }
  return excerpt;
}

// The model has it in front of it already: a second copy would only cost room.
bool is_repetition(const Input& input, const Excerpt& excerpt, const FileSeen& seen, ToolIo& io) {
  const auto before = io.session.file_seen(seen.path);
  return before && before->content_hash == seen.content_hash && excerpt.line_count > 0 &&
         was_read(*before, {input.offset, input.offset + excerpt.line_count - 1});
}

Result<ToolResult> read_text(const Input& input, const OpenedFile& file, const FileText& text, ToolIo& io) {
  const Lines lines = split_lines(text.text());
  if (input.offset > std::max<std::size_t>(lines.size(), 1)) {
    return fail(Errc::invalid_input, input.path + " has only " + std::to_string(lines.size()) +
                                         (lines.size() == 1 ? " line" : " lines") + ": give a smaller offset.");
  }
  const Excerpt excerpt = lines.empty() ? Excerpt{} : take_excerpt(lines, input);
  FileSeen seen = seen_wholly(file.path, file.content.status, file.content.bytes);
  seen.whole = lines.empty() || excerpt.whole_lines == std::vector<LineRange>{{1, lines.size()}};
  if (!seen.whole) seen.lines = excerpt.whole_lines;
  seen.read = excerpt.whole_lines;
  JsonObject shown = {{"filePath", input.path},
                      {"content", excerpt.content},
                      {"numLines", excerpt.line_count},
                      {"startLine", input.offset},
                      {"totalLines", lines.size()}};
  if (excerpt.hit_cap) shown["truncatedByTokenCap"] = true;
  if (is_repetition(input, excerpt, seen, io)) shown["isUnchanged"] = true;
  ToolResult result{.details = JsonObject{{"type", "text"}, {"file", std::move(shown)}}};
  result.modifiers.emplace_back(FileWasSeen{std::move(seen)});
  return result;
}

Result<ToolResult> read_image(const Input& input, FileContent file, const ImageInfo& image, ToolIo& io) {
  const std::size_t original_size = file.bytes.size();
  const std::string subject = input.path + " (" + std::string(image.media_type) + ")";
  const auto shown = shown_image(std::move(file.bytes), image, subject, io);
  if (!shown) return std::unexpected(shown.error());
  JsonObject details = {{"base64", to_base64(shown->bytes)},
                        {"type", shown->info.media_type},
                        {"originalSize", original_size},
                        {"dimensions",
                         {{"originalWidth", image.width},
                          {"originalHeight", image.height},
                          {"displayWidth", shown->info.width},
                          {"displayHeight", shown->info.height}}}};
  return ToolResult{.details = JsonObject{{"type", "image"}, {"file", std::move(details)}}};
}

void map_image(const Json& file, ToolResult& result) {
  const auto media_type = find_string(file, "type").value_or("");
  result.text = "A picture (" + std::string(media_type) + ").";
  result.blocks = {image_block(media_type, find_string(file, "base64").value_or(""))};
  const Json* size = find(file, "dimensions");
  const auto points = [&](std::string_view key) { return size ? find_int(*size, key).value_or(0) : 0; };
  if (points("originalWidth") == points("displayWidth") && points("originalHeight") == points("displayHeight")) return;
  result.text = "A picture (" + std::string(media_type) + "), scaled down from " +
                std::to_string(points("originalWidth")) + " x " + std::to_string(points("originalHeight")) + " to " +
                std::to_string(points("displayWidth")) + " x " + std::to_string(points("displayHeight")) + " points.";
}

std::string text_for_model(const Json& file) {
  const auto number = [&](std::string_view key) { return find_int(file, key).value_or(0); };
  const std::int64_t first = number("startLine");
  const std::int64_t count = number("numLines");
  const std::int64_t total = number("totalLines");
  if (total == 0) return "The file exists but is empty.";
  if (find_bool(file, "isUnchanged").value_or(false)) {
    const std::string last_line = count == 1 ? " is" : " to " + std::to_string(first + count - 1) + " are";
    return "Unchanged since you read it: " + std::string(count == 1 ? "line " : "lines ") + std::to_string(first) +
           last_line + " as shown before.";
  }
  std::string text;
  std::string_view rest = find_string(file, "content").value_or("");
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    append_numbered(text, static_cast<std::uint64_t>(first + i), rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const std::int64_t last = first + count - 1;
  if (last < total) {
    text += "\n\n[Lines " + std::to_string(first) + " to " + std::to_string(last) + " of " + std::to_string(total) +
            ". Go on with offset " + std::to_string(last + 1) + ".]";
  }
  return text;
}

class ReadTool final : public Tool {
 public:
  explicit ReadTool(AfterReading after_reading)
      : after_reading_(std::move(after_reading)),
        spec_{.name = "Read",
              .description = std::string(kDescription),
              .input_schema = parse_json(kInputSchema).value(),
              .search_hint = "show contents of a file, picture, PDF or notebook",
              .path_fields = {"file_path"},
              .on_interrupt = OnInterrupt::cancel,
              .may_be_brief = true,
              .result_characters_max = kUnlimited} {}

  const ToolSpec& spec() const override { return spec_; }
  bool is_read_only(const Json&, const SessionView&) const override { return true; }
  std::optional<Footprint> footprint(const Json& json, const SessionView&) const override {
    return Footprint::reads(parse(json).path);
  }

  Result<ToolResult> run(const Json& json, ToolIo& io) override {
    const Input input = parse(json);
    auto file = open_file(io, input.path);
    if (!file) return std::unexpected(file.error());
    if (io.stop.stop_requested()) return fail(Errc::cancelled, "The read was cancelled.");
    return with_notes(file->path, shown(input, *file, io));
  }

  std::optional<Result<ToolResult>> run_briefly(const Json& json, ToolIo& io) override {
    const Input input = parse(json);
    // What can be opened without following a link is its own canonical path.
    if (normal_path(input.path) != input.path || !is_allowed(io, input.path)) return std::nullopt;
    auto content = io.os.files.read_at_hand(input.path, kBriefReadBytesMax);
    if (!content || is_rendered(input, content->bytes)) return std::nullopt;
    OpenedFile file{input.path, std::move(*content)};
    return with_notes(file.path, shown(input, file, io));
  }

  void map_result(const Json&, ToolResult& result) const override {
    const Json* file = find(result.details, "file");
    if (!file) return;
    const auto type = find_string(result.details, "type");
    if (type == "text") result.text = text_for_model(*file);
    if (type == "notebook") map_notebook(result);
    if (type == "parts") map_pdf(result);
    if (type == "image") map_image(*file, result);
  }

 private:
  // By another program, or at some length.
  static bool is_rendered(const Input& input, std::string_view bytes) {
    return bytes.starts_with("%PDF-") || image_info(bytes) || has_notebook_name(input.path);
  }

  // With what else is to be known about the file's folder.
  Result<ToolResult> with_notes(const std::string& path, Result<ToolResult> result) const {
    if (!result || !after_reading_) return result;
    for (const std::string& text : after_reading_(path)) result->new_messages.emplace_back(text);
    return result;
  }

  static Result<ToolResult> shown(const Input& input, OpenedFile& file, ToolIo& io) {
    const std::string_view bytes = file.content.bytes;
    if (bytes.starts_with("%PDF-")) return read_pdf({input.path, input.pages}, file, io);
    if (!input.pages.empty()) {
      return fail(Errc::invalid_input, input.path + " is no PDF, so it has no pages: leave pages out.");
    }
    if (const auto image = image_info(bytes)) return read_image(input, std::move(file.content), *image, io);
    if (has_notebook_name(input.path)) {
      // What is none, though it is called one, is shown as the text that it is, to be repaired.
      if (const auto notebook = parse_notebook(bytes)) {
        return read_notebook({input.path, input.offset, input.limit}, file, *notebook);
      }
    }
    if (const auto text = FileText::of(bytes)) return read_text(input, file, *text, io);
    return fail(Errc::unsupported, input.path + " is binary (" + human_bytes(bytes.size()) +
                                       "), not text: look at it with a command such as file, strings or xxd.");
  }

  const AfterReading after_reading_;
  const ToolSpec spec_;
};

}  // namespace

std::shared_ptr<Tool> make_read_tool(AfterReading after_reading) {
  return std::make_shared<ReadTool>(std::move(after_reading));
}

}  // namespace deft
