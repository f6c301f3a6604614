// A patch, a zero byte, and a file of any bytes. What is parsed can be written down and parsed again; what is applied
// changes nothing but lines that the patch speaks of, and the reported changes turn the old text into the new one.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/utf8.h"
#include "deft/core/apply_patch.h"
#include "deft/core/patch.h"

namespace {

std::string apply_changes(const deft::Lines& old_lines, const deft::Lines& new_lines,
                          const std::vector<deft::LineChange>& changes) {
  std::string text;
  std::size_t line = 0;
  for (const deft::LineChange& change : changes) {
    DEFT_CHECK(change.old_first >= line && change.old_first + change.old_count <= old_lines.size());
    DEFT_CHECK(change.new_first + change.new_count <= new_lines.size());
    for (; line < change.old_first; ++line) text += old_lines[line];
    line += change.old_count;
    for (std::size_t i = 0; i < change.new_count; ++i) text += new_lines[change.new_first + i];
  }
  for (; line < old_lines.size(); ++line) text += old_lines[line];
  return text;
}

std::size_t lines_of(const std::vector<deft::PatchChunk>& chunks, deft::PatchLine::Kind kind) {
  std::size_t count = 0;
  for (const deft::PatchChunk& chunk : chunks) {
    for (const deft::PatchLine& line : chunk.lines) count += line.kind == kind ? 1 : 0;
  }
  return count;
}

void check(std::string_view file, const std::vector<deft::PatchChunk>& chunks) {
  const auto applied = deft::apply_chunks(file, chunks);
  if (!applied) {
    DEFT_CHECK(!applied.error().message.empty());
    return;
  }
  const deft::Lines old_lines = deft::split_lines(applied->old_text);
  const deft::Lines new_lines = deft::split_lines(applied->new_text);
  DEFT_CHECK(apply_changes(old_lines, new_lines, applied->changes) == applied->new_text);
  const std::size_t goes = lines_of(chunks, deft::PatchLine::Kind::goes);
  const std::size_t comes = lines_of(chunks, deft::PatchLine::Kind::comes);
  // A carriage return within a new line, or a last line that was only an end, may count otherwise.
  if (applied->new_text.find('\r') == std::string::npos) {
    DEFT_CHECK(new_lines.size() <= old_lines.size() - goes + comes);
  }
  std::uint64_t last = 0;
  for (const deft::LineRange& range : applied->replaced) {
    DEFT_CHECK(range.first >= 1 && range.first <= range.last && range.last <= old_lines.size());
    DEFT_CHECK(range.last >= last);
    last = range.last;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = all.find('\0');
  const std::string text = deft::to_valid_utf8(all.substr(0, end));
  const std::string_view file = end == std::string_view::npos ? std::string_view() : all.substr(end + 1);
  const auto paths = deft::paths_in_patch(text);
  const auto patches = deft::parse_patch(text);
  if (!patches) {
    DEFT_CHECK(!patches.error().message.empty());
    return 0;
  }
  DEFT_CHECK(paths.size() >= patches->size());
  for (const deft::FilePatch& patch : *patches) {
    DEFT_CHECK(!patch.path.empty());
    if (patch.kind == deft::FilePatch::Kind::update) check(file, patch.chunks);
  }
  return 0;
}
