// An edit of a file of any bytes: two lengths, the old text, the new text, then the file. Whatever is applied changes
// only the place that was meant, and the changed lines that are reported are the ones that turn the old text into the
// new one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/utf8.h"
#include "deft/core/edit.h"
#include "deft/core/file_text.h"

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

void check_bytes_around(std::string_view bytes, const deft::AppliedEdit& edit, const deft::EditRequest& request) {
  const bool literally = request.old_text.find('\r') != std::string_view::npos;
  const auto file =
      deft::FileText::of(bytes, literally ? deft::FileText::LineEnds::exact : deft::FileText::LineEnds::folded);
  DEFT_CHECK(file && file->text() == edit.old_text);
  const std::size_t first = edit.old_text.find(request.old_text);
  DEFT_CHECK(first != std::string::npos);
  const std::size_t before = file->byte_offsets({first})[0];
  DEFT_CHECK(edit.bytes.size() >= before && bytes.substr(0, before) == std::string_view(edit.bytes).substr(0, before));
  if (request.replace_all) return;
  const std::size_t after = bytes.size() - file->byte_offsets({first + request.old_text.size()})[0];
  DEFT_CHECK(edit.bytes.size() >= before + after);
  DEFT_CHECK(bytes.substr(bytes.size() - after) == std::string_view(edit.bytes).substr(edit.bytes.size() - after));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 3, size - 3);
  const auto take = [&](std::size_t length) {
    const std::string_view part = rest.substr(0, length);
    rest.remove_prefix(part.size());
    return deft::to_valid_utf8(part);
  };
  const std::string old_text = take(data[0]);
  const std::string new_text = take(data[1]);
  if (old_text.empty()) return 0;
  const deft::EditRequest request{.old_text = old_text, .new_text = new_text, .replace_all = (data[2] & 1) != 0};

  const auto edit = deft::apply_edit(rest, request);
  if (!edit) {
    DEFT_CHECK(!edit.error().message.empty() && deft::is_utf8(edit.error().message));
    return 0;
  }
  check_bytes_around(rest, *edit, request);
  const deft::Lines old_lines = deft::split_lines(edit->old_text);
  const deft::Lines new_lines = deft::split_lines(edit->new_text);
  DEFT_CHECK(apply_changes(old_lines, new_lines, edit->changes) == edit->new_text);
  DEFT_CHECK(request.replace_all || edit->replaced.size() == 1);
  for (const deft::LineRange& range : edit->replaced) {
    DEFT_CHECK(range.first >= 1 && range.first <= range.last && range.last <= old_lines.size());
  }
  const auto moved = deft::move_ranges(edit->replaced, edit->changes);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    DEFT_CHECK(moved[i].first >= 1 && moved[i].first <= moved[i].last);
    DEFT_CHECK(i == 0 || moved[i].first > moved[i - 1].last + 1);
  }
  deft::structured_patch(old_lines, new_lines, edit->changes, 10'000);
  return 0;
}
