#include "deft/tools/file_change.h"

#include "deft/base/content_hash.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/tools/numbered_lines.h"

namespace deft {

namespace {

constexpr std::size_t kExcerptLinesMax = 40;
constexpr std::size_t kExcerptLineCharactersMax = 300;
constexpr std::size_t kRangesNamedMax = 8;

std::string describe(const std::vector<LineRange>& ranges) {
  std::string text = ranges.size() == 1 && ranges[0].first == ranges[0].last ? "line " : "lines ";
  for (std::size_t i = 0; i < std::min(ranges.size(), kRangesNamedMax); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(ranges[i].first);
    if (ranges[i].last != ranges[i].first) text += "-" + std::to_string(ranges[i].last);
  }
  return ranges.size() > kRangesNamedMax ? text + ", …" : text;
}

// "Of /p/a only lines 3-5 were shown"
std::string describe_shown(std::string_view path, const std::vector<LineRange>& ranges) {
  std::string text = "Of " + std::string(path);
  if (ranges.empty()) return text + " no whole line was shown";
  const bool is_one = ranges.size() == 1 && ranges[0].first == ranges[0].last;
  return text + " only " + describe(ranges) + (is_one ? " was shown" : " were shown");
}

}  // namespace

Result<FileToChange> open_for_change(std::string_view path, ToolIo& io) {
  auto file = open_file(io, path);
  if (!file) return std::unexpected(file.error());
  auto seen = io.session.file_seen(file->path);
  if (!seen) {
    return fail(Errc::not_read,
                std::string(path) + " has not been read in this session: read it before you change it.");
  }
  // The content decides. The time may have changed without it (a checkout, a touch), or not changed with it.
  if (seen->size != file->content.bytes.size() || seen->content_hash != content_hash(file->content.bytes)) {
    return fail(Errc::stale, std::string(path) + " has changed since you read it, by a command or by someone else: " +
                                 "read it again before you change it.");
  }
  return FileToChange{std::move(*file), std::move(*seen)};
}

Result<void> check_lines_were_shown(std::string_view path, const FileSeen& seen, const std::vector<LineRange>& lines) {
  for (const LineRange& range : lines) {
    if (covers(seen, range)) continue;
    return fail(Errc::not_read, describe_shown(path, seen.lines) + ", and the change touches " + describe({range}) +
                                    ": read those lines first.");
  }
  return {};
}

Result<void> check_all_was_shown(std::string_view path, const FileSeen& seen, std::size_t line_count) {
  if (line_count == 0 || covers(seen, {1, line_count})) return {};
  return fail(Errc::not_read, describe_shown(path, seen.lines) + ", of " + std::to_string(line_count) +
                                  " in all: read the rest before you replace the whole file, or change the lines that "
                                  "you have seen with Edit.");
}

Json original_file(std::string_view text) {
  if (text.size() > kOriginalBytesMax) return nullptr;
  return Json(text);
}

std::string patch_excerpt(const JsonArray& structured_patch) {
  std::string text;
  std::size_t lines = 0;
  for (const Json& hunk : structured_patch) {
    const JsonArray* hunk_lines = find_array(hunk, "lines");
    if (!hunk_lines) continue;
    auto number = static_cast<std::uint64_t>(find_int(hunk, "newStart").value_or(1));
    if (!text.empty()) text += "\n   ...";
    for (const Json& line : *hunk_lines) {
      if (!line.is_string() ||
          (!view(line.get_string()).starts_with(' ') && !view(line.get_string()).starts_with('+'))) {
        continue;
      }
      if (lines++ == kExcerptLinesMax) return text + "\n[more lines changed than are shown here]";
      const std::string_view content = view(line.get_string()).substr(1);
      const std::string_view start = first_characters(content, kExcerptLineCharactersMax);
      append_numbered(text, number++, start.size() < content.size() ? std::string(start) + " …" : std::string(start));
    }
  }
  return text;
}

std::string in_place_note(const Replaced& replaced) {
  if (replaced.in_place_because.empty()) return "";
  return "It was written in place, because " + replaced.in_place_because + ".";
}

}  // namespace deft
