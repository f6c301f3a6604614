#include "deft/core/result_preview.h"

#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string_view start_of(std::string_view text, std::size_t bytes_max) {
  const std::string_view start = utf8_prefix(text, bytes_max);
  if (start.size() == text.size()) return start;
  const std::size_t line_end = start.rfind('\n');
  return line_end != std::string_view::npos && line_end >= bytes_max / 2 ? start.substr(0, line_end) : start;
}

std::string_view end_of(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::string_view end = text.substr(text.size() - bytes_max);
  for (int back = 0; back < 3 && !end.empty() && continues_character(end.front()); ++back) end.remove_prefix(1);
  // The line end that the text itself ends with separates nothing.
  const std::size_t line_end = end.substr(0, end.size() - (end.ends_with('\n') ? 1 : 0)).find('\n');
  return line_end != std::string_view::npos && line_end < bytes_max / 2 ? end.substr(line_end + 1) : end;
}

std::string left_out_line(std::uint64_t characters) {
  return "... " + std::to_string(characters) + " characters left out ...\n";
}

std::string preview_lines(const PersistedOutput& output) {
  const std::string size = human_bytes(output.preview_bytes_max);
  const auto with_line_end = [](std::string_view text) {
    return std::string(text) + (text.empty() || text.ends_with('\n') ? "" : "\n");
  };
  switch (output.kept) {
    case KeptPart::start: {
      const bool is_cut = output.preview.start.size() < output.bytes;
      return "\nPreview (first " + size + "):\n" + std::string(output.preview.start) + "\n" + (is_cut ? "...\n" : "");
    }
    case KeptPart::end:
      return "\nPreview (last " + size + "):\n" + left_out_line(output.characters_left_out) +
             with_line_end(output.preview.end);
    case KeptPart::both:
      return "\nPreview (both ends, " + size + "):\n" + with_line_end(output.preview.start) +
             left_out_line(output.characters_left_out) + with_line_end(output.preview.end);
  }
  return {};
}

}  // namespace

Preview preview_of(std::string_view text, KeptPart kept, std::size_t bytes_max) {
  if (text.size() <= bytes_max)
    return {.start = kept == KeptPart::end ? "" : text, .end = kept == KeptPart::end ? text : ""};
  switch (kept) {
    case KeptPart::start: return {.start = start_of(text, bytes_max), .end = {}};
    case KeptPart::end: return {.start = {}, .end = end_of(text, bytes_max)};
    case KeptPart::both: return {.start = start_of(text, bytes_max / 2), .end = end_of(text, bytes_max / 2)};
  }
  return {};
}

std::string persisted_block(const PersistedOutput& output) {
  std::string block =
      "<persisted-output>\nOutput too large (" + human_bytes(output.bytes) + "). " + output.where + "\n";
  if (output.preview_bytes_max > 0) block += preview_lines(output);
  return block + "</persisted-output>";
}

std::uint64_t count_lead_bytes(std::string_view text) {
  std::uint64_t count = 0;
  for (const char c : text) count += continues_character(c) ? 0U : 1U;
  return count;
}

}  // namespace deft
