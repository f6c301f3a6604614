#include "deft/core/apply_patch.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "deft/base/text.h"
#include "deft/core/edit_mismatch.h"
#include "deft/core/file_text.h"
#include "deft/core/patch.h"
#include "deft/core/text_splice.h"

namespace deft {
namespace {

constexpr std::size_t kPlacesNamedMax = 10;
constexpr std::size_t kAnchorShownCharactersMax = 80;
constexpr std::string_view kStrayByte = "\xEF\xBF\xBD";
// Lines compared to find a place. Only a file of very many lines that are alike comes near.
constexpr std::size_t kComparisonsMax = 10'000'000;

std::string_view without_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

std::string_view without_trailing(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string_view trimmed(std::string_view line) {
  line = without_trailing(line);
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

// A sign that models write in its plain form, and that form.
struct FineSign {
  std::string_view fine;
  char plain;
};
constexpr std::array<FineSign, 22> kFineSigns = {
    {{"\u2010", '-'}, {"\u2011", '-'},  {"\u2012", '-'},  {"\u2013", '-'},  {"\u2014", '-'},  {"\u2015", '-'},
     {"\u2212", '-'}, {"\u2018", '\''}, {"\u2019", '\''}, {"\u201A", '\''}, {"\u201B", '\''}, {"\u201C", '"'},
     {"\u201D", '"'}, {"\u201E", '"'},  {"\u201F", '"'},  {"\u00A0", ' '},  {"\u2002", ' '},  {"\u2003", ' '},
     {"\u2009", ' '}, {"\u200A", ' '},  {"\u202F", ' '},  {"\u3000", ' '}}};

bool is_ascii(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string with_plain_signs(std::string_view line) {
  std::string out;
  while (!line.empty()) {
    const auto* sign =
        std::ranges::find_if(kFineSigns, [&](const FineSign& one) { return line.starts_with(one.fine); });
    const bool is_fine = sign != kFineSigns.end();
    out += is_fine ? sign->plain : line[0];
    line.remove_prefix(is_fine ? sign->fine.size() : 1);
  }
  return out;
}

// How alike two lines must be.
enum class Alike : std::uint8_t { exactly, but_for_their_ends, but_for_signs, but_for_blanks };

bool is_same_line(std::string_view have, std::string_view want, Alike alike) {
  switch (alike) {
    case Alike::exactly: return have == want;
    case Alike::but_for_their_ends: return without_trailing(have) == without_trailing(want);
    case Alike::but_for_signs:
      if (is_ascii(have) && is_ascii(want)) return without_trailing(have) == without_trailing(want);
      return without_trailing(with_plain_signs(have)) == without_trailing(with_plain_signs(want));
    case Alike::but_for_blanks: return trimmed(have) == trimmed(want);
  }
  return false;
}

std::string name_of(const PatchChunk& chunk) {
  return "the chunk at line " + std::to_string(chunk.line_number) + " of the patch";
}

// Finds the place of each chunk, from the top of the file down, and notes what is to be replaced there.
class Application {
 public:
  explicit Application(const FileText& file) : file_(file) {
    for (const std::string_view line : split_lines(file.text())) {
      starts_.push_back(static_cast<std::size_t>(line.data() - file.text().data()));
      lines_.push_back(without_end(line));
    }
    starts_.push_back(file.text().size());
  }

  Result<void> add(const PatchChunk& chunk) {
    const auto anchored = follow_anchors(chunk);
    if (!anchored) return std::unexpected(anchored.error());
    std::vector<std::string_view> wanted;
    for (const PatchLine& line : chunk.lines) {
      if (line.kind != PatchLine::Kind::comes) wanted.push_back(line.text);
    }
    const auto place = wanted.empty() ? place_for_new_lines(chunk, *anchored) : find(chunk, wanted, *anchored);
    if (!place) {
      if (place.error().code == Errc::not_found && wanted.size() > 1 && add_without_last_line_end(chunk)) return {};
      return std::unexpected(place.error());
    }
    if (!wanted.empty()) found_.push_back({*place + 1, *place + wanted.size()});
    if (wanted.empty() && *anchored && *place > 0) found_.push_back({*place, *place});
    note_changes(chunk, *place);
    next_ = *place + wanted.size();
    return {};
  }

  const std::vector<LineRange>& found() const { return found_; }

  std::vector<TextSplice> splices() const {
    std::vector<TextSplice> splices;
    for (const Replacement& replacement : replacements_) {
      splices.push_back({replacement.begin, replacement.end, replacement.text});
    }
    return splices;
  }

 private:
  struct Replacement {
    std::size_t begin;
    std::size_t end;
    std::string text;
  };

  // An empty line at the end of a chunk may be how somebody sees the end of the last line of the file.
  bool add_without_last_line_end(const PatchChunk& chunk) {
    const PatchLine& last = chunk.lines.back();
    if (last.kind != PatchLine::Kind::stays || !last.text.empty()) return false;
    PatchChunk at_end = chunk;
    at_end.lines.pop_back();
    at_end.at_end = true;
    return add(at_end).has_value();
  }

  // The line below the last anchor; nothing: there is none.
  Result<std::optional<std::size_t>> follow_anchors(const PatchChunk& chunk) const {
    std::optional<std::size_t> below;
    for (const std::string& anchor : chunk.anchors) {
      const std::size_t from = below.value_or(next_);
      std::optional<std::size_t> found;
      for (const bool as_written : {true, false}) {
        for (std::size_t at = from; at < lines_.size() && !found; ++at) {
          if (is_anchor(lines_[at], anchor, as_written)) found = at;
        }
      }
      if (!found) {
        return fail(Errc::not_found, "The line “" + one_line(anchor, kAnchorShownCharactersMax) + "” that " +
                                         name_of(chunk) + " names behind @@ is not in the file" + below_what(from) +
                                         ".");
      }
      below = *found + 1;
    }
    return below;
  }

  // Its indentation does not matter: what stands behind "@@" has lost it.
  static bool is_anchor(std::string_view line, std::string_view anchor, bool as_written) {
    if (as_written) return without_trailing(line) == anchor;
    return is_same_line(trimmed(line), anchor, Alike::but_for_signs);
  }

  static std::string below_what(std::size_t from) {
    return from == 0 ? "" : " below line " + std::to_string(from) + "; chunks are in the order of the file";
  }

  // Nothing to look for: below the line that is named, else at the end.
  Result<std::size_t> place_for_new_lines(const PatchChunk& chunk, const std::optional<std::size_t>& anchored) const {
    return anchored && !chunk.at_end ? *anchored : lines_.size();
  }

  bool is_at(std::size_t at, const std::vector<std::string_view>& wanted, Alike alike) const {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ++comparisons_;
      if (comparisons_ > kComparisonsMax || !is_same_line(lines_[at + i], wanted[i], alike)) return false;
    }
    return true;
  }

  bool is_there(std::size_t at, const std::vector<std::string_view>& wanted, Alike alike) const {
    return at >= next_ && at + wanted.size() <= lines_.size() && is_at(at, wanted, alike);
  }

  std::vector<std::size_t> places(const std::vector<std::string_view>& wanted, std::size_t from, Alike alike,
                                  std::size_t at_most) const {
    std::vector<std::size_t> found;
    const auto goes_on = [&] { return found.size() < at_most && comparisons_ <= kComparisonsMax; };
    for (std::size_t at = from; at + wanted.size() <= lines_.size() && goes_on(); ++at) {
      if (is_at(at, wanted, alike)) found.push_back(at);
    }
    return found;
  }

  Result<std::size_t> find(const PatchChunk& chunk, const std::vector<std::string_view>& wanted,
                           const std::optional<std::size_t>& anchored) const {
    const std::size_t below = anchored.value_or(next_);
    const bool fits = wanted.size() <= lines_.size() && lines_.size() - wanted.size() >= below;
    const std::size_t from = chunk.at_end && fits ? lines_.size() - wanted.size() : below;
    for (const Alike alike : {Alike::exactly, Alike::but_for_their_ends, Alike::but_for_signs}) {
      // A line that was named tells which one of several is meant: the next.
      const auto found = places(wanted, from, alike, anchored ? 1 : kPlacesNamedMax + 1);
      if (comparisons_ > kComparisonsMax) return std::unexpected(too_many_alike(chunk));
      if (found.size() == 1) return found[0];
      if (!found.empty()) return std::unexpected(several_places(chunk, found));
      // The line that was named, said once more as the first one of the chunk.
      if (anchored && is_there(*anchored - 1, wanted, alike)) return *anchored - 1;
    }
    return std::unexpected(not_found(chunk, wanted, below));
  }

  static Error too_many_alike(const PatchChunk& chunk) {
    return {Errc::limit, "The file has too many lines like those of " + name_of(chunk) +
                             ": give it fewer lines that stay, and name a line above it with @@."};
  }

  static Error several_places(const PatchChunk& chunk, const std::vector<std::size_t>& found) {
    std::string named;
    for (std::size_t i = 0; i < std::min(found.size(), kPlacesNamedMax); ++i) {
      named += (i == 0 ? "" : ", ") + std::to_string(found[i] + 1);
    }
    if (found.size() > kPlacesNamedMax) named += ", …";
    return {Errc::invalid_input, "What " + name_of(chunk) + " looks for is at several lines (" + named +
                                     "): add lines around it, or name a line above it with @@."};
  }

  Error not_found(const PatchChunk& chunk, const std::vector<std::string_view>& wanted, std::size_t below) const {
    const auto anywhere = places(wanted, 0, Alike::but_for_their_ends, 1);
    if (!anywhere.empty()) {
      const std::string where = "What " + name_of(chunk) + " looks for is at line " + std::to_string(anywhere[0] + 1);
      if (chunk.at_end) return {Errc::not_found, where + ", which is not the end of the file."};
      return {Errc::not_found, where + ", above what comes before it in the patch (line " + std::to_string(below) +
                                   "): chunks are in the order of the file, and do not overlap."};
    }
    const std::string name = "T" + name_of(chunk).substr(1);
    // Whole lines are looked for: the text alone may well be within one.
    if (const auto alike = places(wanted, below, Alike::but_for_blanks, 1); !alike.empty()) {
      return {Errc::not_found, name +
                                   " was not found: it differs in white space (blanks, tabs, indentation) from the " +
                                   "text at line " + std::to_string(alike[0] + 1) + "; copy that exactly."};
    }
    std::string text;
    for (const std::string_view line : wanted) text.append(line).push_back('\n');
    return {Errc::not_found, explain_mismatch(file_.text(), text, name)};
  }

  void note_changes(const PatchChunk& chunk, std::size_t place) {
    std::size_t at = place;
    for (auto line = chunk.lines.begin(); line != chunk.lines.end();) {
      if (line->kind == PatchLine::Kind::stays) {
        ++at;
        ++line;
        continue;
      }
      Replacement change{.begin = starts_[at], .end = 0, .text = {}};
      for (; line != chunk.lines.end() && line->kind != PatchLine::Kind::stays; ++line) {
        if (line->kind == PatchLine::Kind::goes) ++at;
        if (line->kind == PatchLine::Kind::comes) change.text.append(line->text).push_back('\n');
      }
      change.end = starts_[at];
      keep_last_line_end(change);
      replacements_.push_back(std::move(change));
    }
  }

  // A file whose last line has no end keeps it so.
  void keep_last_line_end(Replacement& change) const {
    const std::string_view text = file_.text();
    if (text.empty() || text.ends_with('\n') || change.end != text.size() || change.text.empty()) return;
    change.text.pop_back();
    const bool is_gone = !replacements_.empty() && replacements_.back().end == text.size() &&
                         replacements_.back().text.empty();  // the last line, by an earlier chunk
    if (change.begin == text.size() && !is_gone) change.text.insert(0, "\n");
  }

  const FileText& file_;
  std::vector<std::string_view> lines_;
  std::vector<std::size_t> starts_;  // of the lines, and the end
  std::size_t next_ = 0;             // the first line that no chunk was found at
  mutable std::size_t comparisons_ = 0;
  std::vector<LineRange> found_;
  std::vector<Replacement> replacements_;
};

bool removes_stray_bytes(const FileText& file, const std::vector<PatchChunk>& chunks) {
  if (!file.has_stray_bytes()) return false;
  return std::ranges::any_of(chunks, [](const PatchChunk& chunk) {
    return std::ranges::any_of(chunk.lines, [](const PatchLine& line) {
      return line.kind != PatchLine::Kind::stays && line.text.find(kStrayByte) != std::string::npos;
    });
  });
}

}  // namespace

Result<AppliedEdit> apply_chunks(std::string_view bytes, const std::vector<PatchChunk>& chunks) {
  const auto file = FileText::of(bytes);
  if (!file) {
    return fail(Errc::unsupported, "The file is binary, not text: change it with a program that knows its format.");
  }
  if (removes_stray_bytes(*file, chunks)) {
    return fail(
        Errc::not_found,
        "The patch changes a line with U+FFFD, which stands for bytes of the file that are not text: leave such "
        "lines as they are.");
  }
  Application application(*file);
  for (const PatchChunk& chunk : chunks) {
    if (auto added = application.add(chunk); !added) return std::unexpected(added.error());
  }
  const std::vector<TextSplice> splices = application.splices();
  auto new_bytes = spliced_bytes(bytes, *file, splices, /*literally=*/false);
  if (!new_bytes) {
    return fail(Errc::invalid_input,
                "The new lines cannot be written into this file: " + new_bytes.error().message + ".");
  }
  AppliedEdit edit{.bytes = std::move(*new_bytes),
                   .old_text = std::string(file->text()),
                   .new_text = spliced_text(file->text(), splices),
                   .replaced = application.found(),
                   .changes = {}};
  edit.changes = diff_lines(split_lines(edit.old_text), split_lines(edit.new_text));
  return edit;
}

}  // namespace deft
