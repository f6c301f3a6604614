#include "deft/core/edit.h"

#include <algorithm>

#include "deft/core/edit_mismatch.h"
#include "deft/core/file_text.h"
#include "deft/core/text_splice.h"

namespace deft {

namespace {

constexpr std::size_t kLinesNamedMax = 10;

std::vector<std::size_t> find_all(std::string_view text, std::string_view wanted) {
  std::vector<std::size_t> found;
  for (std::size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + wanted.size())) {
    found.push_back(at);
  }
  return found;
}

std::vector<LineRange> lines_of(std::string_view text, const std::vector<std::size_t>& places, std::size_t length) {
  std::vector<LineRange> lines;
  std::size_t counted = 0;
  std::uint64_t line = 1;
  const auto line_at = [&](std::size_t offset) {
    line += static_cast<std::uint64_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                  text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
    counted = offset;
    return line;
  };
  for (const std::size_t place : places) {
    const std::uint64_t first = line_at(place);
    lines.push_back({first, line_at(place + length - 1)});
  }
  return lines;
}

Error several_places(const std::vector<LineRange>& places) {
  std::string named;
  for (std::size_t i = 0; i < std::min(places.size(), kLinesNamedMax); ++i) {
    named += (i == 0 ? "" : ", ") + std::to_string(places[i].first);
  }
  if (places.size() > kLinesNamedMax) named += ", …";
  return {Errc::invalid_input,
          "old_string occurs " + std::to_string(places.size()) + " times, on lines " + named +
              ": add lines around it until it is unique, or set replace_all to change all of them."};
}

// Compares only the lines around each place: the rest is known to be the same.
std::vector<LineChange> changes_at(const std::vector<LineRange>& places, const Lines& old_lines, const Lines& new_lines,
                                   std::size_t lines_added_each, std::size_t lines_removed_each) {
  std::vector<LineChange> changes;
  std::size_t grown = 0;  // wraps where lines became fewer, and wraps back
  for (std::size_t i = 0; i < places.size();) {
    const std::size_t first = places[i].first - 1;
    std::size_t end = 0;
    const std::size_t grown_before = grown;
    // Places that share a line, or sit on neighbouring ones, are one region. The line after a place belongs to it:
    // if the place ended with a line end, that line may now go on where the place began.
    for (; i < places.size() && (end == 0 || places[i].first <= end + 1); ++i) {
      end = std::min<std::size_t>(places[i].last + 1, old_lines.size());
      grown += lines_added_each - lines_removed_each;
    }
    // At the end of the file a line end more or less does not make a line more or less.
    const std::size_t new_end = end == old_lines.size() ? new_lines.size() : end + grown;
    const LineChange region{first, end - first, first + grown_before, new_end - (first + grown_before)};
    const auto found = diff_lines(old_lines, new_lines, region);
    changes.insert(changes.end(), found.begin(), found.end());
  }
  return changes;
}

std::size_t count_newlines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

Result<AppliedEdit> apply_edit(std::string_view bytes, const EditRequest& request) {
  const bool literally = request.old_text.find('\r') != std::string_view::npos;
  const auto file = FileText::of(bytes, literally ? FileText::LineEnds::exact : FileText::LineEnds::folded);
  if (!file)
    return fail(Errc::unsupported, "The file is binary, not text: change it with a program that knows its format.");

  const std::vector<std::size_t> places = find_all(file->text(), request.old_text);
  if (places.empty()) return fail(Errc::not_found, explain_mismatch(file->text(), request.old_text));
  const bool shows_stray_bytes =
      file->has_stray_bytes() && request.old_text.find("\xEF\xBF\xBD") != std::string_view::npos;
  if (shows_stray_bytes) {
    return fail(
        Errc::not_found,
        "old_string contains U+FFFD, which stands for bytes of the file that are not text: leave them out of it.");
  }
  AppliedEdit edit;
  edit.replaced = lines_of(file->text(), places, request.old_text.size());
  if (places.size() > 1 && !request.replace_all) return std::unexpected(several_places(edit.replaced));

  std::vector<TextSplice> splices;
  for (const std::size_t place : places) {
    splices.push_back({place, place + request.old_text.size(), request.new_text});
  }
  auto new_bytes = spliced_bytes(bytes, *file, splices, literally);
  if (!new_bytes) {
    return fail(Errc::invalid_input, "new_string cannot be written into this file: " + new_bytes.error().message + ".");
  }
  edit.bytes = std::move(*new_bytes);
  edit.old_text = file->text();
  edit.new_text = spliced_text(file->text(), splices);
  edit.changes = changes_at(edit.replaced, split_lines(edit.old_text), split_lines(edit.new_text),
                            count_newlines(request.new_text), count_newlines(request.old_text));
  return edit;
}

}  // namespace deft
