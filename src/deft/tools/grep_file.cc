#include "deft/tools/grep_file.h"

#include <algorithm>
#include <cstring>

#include "deft/base/utf8.h"

namespace deft {
namespace {

// ripgrep's: how much is read at a time decides what counts of a file that turns out to be binary.
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kPartsAtOnce = 1'024;
constexpr std::size_t kBeginningBytes = 4 * kGrepLineCharactersMax;

std::string_view piece(std::string_view text, Span span) { return text.substr(span.begin, span.end - span.begin); }

std::optional<std::size_t> find_byte(std::string_view text, char byte) {
  const std::size_t found = text.find(byte);
  return found == std::string_view::npos ? std::nullopt : std::optional(found);
}

// Where to look for the match after an empty one.
std::size_t next_character(std::string_view text, std::size_t at) {
  return at + std::max<std::size_t>(1, utf8_sequence_length(text.substr(std::min(at, text.size()))));
}

}  // namespace

struct GrepFile::Progress {
  TextSource source;
  GrepWriter writer;
  Origin origin;
  std::uint64_t size;
  GrepFinding finding = {};
  std::size_t held = 0;                                 // bytes in the buffer
  std::uint64_t offset = 0;                             // of the first of them in the text
  bool ended = false;                                   // all of the text was read
  bool done = false;                                    // nothing more is wanted of this file
  std::optional<std::uint64_t> zero_at = std::nullopt;  // a named file that is binary
};

GrepFile::GrepFile(const GrepQuery& query, const GrepPattern& pattern, SearchStop& stop, std::mutex& large_file)
    : query_(query), pattern_(pattern), stop_(stop), large_file_(large_file), buffer_(kBlockBytes) {
  if (pattern_.lines) lines_.emplace(*pattern_.lines, stop.token());
  if (pattern_.whole) whole_.emplace(*pattern_.whole, stop.token());
}

GrepFinding GrepFile::search(int fd, std::uint64_t size, const GrepFormat& format, Origin origin) {
  Progress file{.source = TextSource(fd), .writer = GrepWriter(format), .origin = origin, .size = size};
  if (lines_) {
    search_by_line(file);
  } else {
    search_whole(file);
  }
  file.finding.lines = file.writer.lines();
  file.finding.text = file.writer.take_text();
  return std::move(file.finding);
}

// ---- line by line

void GrepFile::search_by_line(Progress& file) {
  std::size_t capacity = kBlockBytes;
  while (!file.done && !stop_.requested()) {
    const std::size_t old = file.held;
    if (!fill(file, capacity)) return;
    const std::string_view held(buffer_.data(), file.held);
    if (is_stopped_by_zero(file, held.substr(old), file.offset + old)) return;
    if (file.ended) return search_block(file, held, true);

    const void* newline = ::memrchr(held.data() + old, '\n', held.size() - old);
    if (!newline) {
      if (capacity >= kGrepLineBytesMax) {
        search_long_line(file);
      } else {
        capacity *= 2;
      }
      continue;
    }
    const auto end = static_cast<std::size_t>(static_cast<const char*>(newline) - held.data()) + 1;
    search_block(file, held.substr(0, end), false);
    file.held -= end;
    file.offset += end;
    std::memmove(buffer_.data(), buffer_.data() + end, file.held);
  }
}

void GrepFile::search_block(Progress& file, std::string_view block, bool is_last) {
  if (query_.mode == GrepMode::content) file.writer.begin_block(block);
  for (std::size_t from = 0; !file.done;) {
    const auto line = lines_->next(block, from);
    if (!line) break;
    take_line(file, block, *line);
    from = line->end + 1;
  }
  if (query_.mode == GrepMode::content) file.writer.end_block(is_last);
}

void GrepFile::take_line(Progress& file, std::string_view block, Span line) {
  if (query_.mode == GrepMode::files) {
    file.finding.matches = 1;
    file.done = true;
    return;
  }
  if (query_.only_matching) return take_parts(file, block, line);
  ++file.finding.matches;
  if (query_.mode != GrepMode::content || !is_shown(file, block, line)) return;
  Span match = line;
  if (line.end - line.begin > kGrepLineCharactersMax) {  // only then it matters where the match is
    const auto found = lines_->search().find(piece(block, line), 0);
    if (found) match = {line.begin + found->begin, line.begin + found->end};
  }
  file.writer.add_lines(line, match);
}

// All matches in the line, some at a time: a line may hold millions. Right behind a match an empty one does not count.
void GrepFile::take_parts(Progress& file, std::string_view block, Span line) {
  const bool shown = query_.mode == GrepMode::content && is_shown(file, block, line);
  const auto take = [&] {
    file.finding.matches += parts_.size();
    if (shown) file.writer.add_parts(line, parts_);
    parts_.clear();
  };
  const std::string_view text = piece(block, line);
  std::optional<std::size_t> last_end;
  for (std::size_t from = 0; from <= text.size();) {
    if (parts_.size() == kPartsAtOnce) take();
    if (parts_.empty() && stop_.requested()) return;
    const auto found = lines_->search().find(text, from);
    if (!found) break;
    const bool is_empty = found->begin == found->end;
    from = is_empty ? next_character(text, found->end) : found->end;
    if (is_empty && found->end == last_end) continue;
    last_end = found->end;
    parts_.push_back({line.begin + found->begin, line.begin + found->end});
  }
  if (!parts_.empty()) take();
}

// The buffer is full and holds no newline. The line is not held any longer, only what the automaton makes of it.
void GrepFile::search_long_line(Progress& file) {
  const std::string beginning(buffer_.data(), kBeginningBytes);
  RegexAutomaton& automaton = lines_->search().in_pieces();
  automaton.begin_text();
  std::uint64_t length = file.held;
  bool matches = automaton.add_piece({buffer_.data(), file.held});
  file.offset += file.held;
  file.held = 0;
  for (bool complete = false; !complete;) {
    if (stop_.requested() || !fill(file, kBlockBytes)) return;
    const std::string_view held(buffer_.data(), file.held);
    if (is_stopped_by_zero(file, held, file.offset)) return;
    const std::size_t end = find_byte(held, '\n').value_or(held.size());
    if (!matches) matches = automaton.add_piece(held.substr(0, end));
    length += end;
    complete = end < held.size() || file.ended;
    const std::size_t used = std::min(end + 1, held.size());
    file.held -= used;
    file.offset += used;
    std::memmove(buffer_.data(), buffer_.data() + used, file.held);
  }
  if (!matches) matches = automaton.end_text();
  if (matches) ++file.finding.matches;
  file.done = matches && query_.mode == GrepMode::files;
  if (query_.mode == GrepMode::content) file.writer.add_long_line(beginning, length, matches);
}

// ---- matches over several lines

void GrepFile::search_whole(Progress& file) {
  std::unique_lock turn(large_file_, std::defer_lock);
  if (read_whole(file, turn)) search_text(file, {buffer_.data(), file.held});
  if (turn) std::vector<char>(kBlockBytes).swap(buffer_);  // before the next one begins
}

void GrepFile::search_text(Progress& file, std::string_view text) {
  const auto zero = find_byte(text.substr(0, kBlockBytes), '\0');
  if (zero && file.origin == Origin::found) return;
  if (zero) file.zero_at = *zero;
  if (!whole_->has_match(text)) return;
  if (query_.mode == GrepMode::content) file.writer.begin_block(text);
  std::optional<std::size_t> last_end;
  for (std::size_t from = 0; from <= text.size() && !file.done && !stop_.requested();) {
    const auto match = whole_->find(text, from);
    // Behind the last newline there is no line any more.
    const bool is_in_line = match && match->begin < text.size() + (text.ends_with('\n') ? 0U : 1U);
    if (!is_in_line || text.empty()) break;
    const bool is_empty = match->begin == match->end;
    from = is_empty ? next_character(text, match->end) : match->end;
    if (is_empty && match->end == last_end && query_.mode == GrepMode::count) continue;
    last_end = match->end;
    take_span(file, text, *match);
  }
  if (query_.mode == GrepMode::content) file.writer.end_block(true);
}

void GrepFile::take_span(Progress& file, std::string_view text, Span match) {
  const std::size_t last = match.end > match.begin ? match.end - 1 : match.end;
  const std::size_t before = match.begin == 0 ? std::string_view::npos : text.rfind('\n', match.begin - 1);
  const Span lines = {before == std::string_view::npos ? 0 : before + 1, std::min(text.find('\n', last), text.size())};
  if (file.origin == Origin::found && is_stopped_by_zero(file, piece(text, lines), lines.begin)) {
    file.done = true;
    return;
  }
  ++file.finding.matches;
  if (query_.mode == GrepMode::files) file.done = true;
  if (query_.mode != GrepMode::content || !is_shown(file, text, lines)) return;
  if (!query_.only_matching) {
    file.writer.add_lines(lines, match);
    return;
  }
  for (std::size_t begin = match.begin; begin < match.end;) {
    const std::size_t end = std::min(text.find('\n', begin), match.end);
    if (end > begin) file.writer.add_parts({begin, end}, {{begin, end}});
    begin = end + 1;
  }
}

bool GrepFile::read_whole(Progress& file, std::unique_lock<std::mutex>& turn) {
  constexpr std::size_t kCapacityMax = kGrepWholeFileBytesMax + kBlockBytes;
  std::size_t capacity = std::max<std::size_t>(kBlockBytes, std::min<std::uint64_t>(file.size + 64, kCapacityMax));
  file.finding.too_large = file.size > kGrepWholeFileBytesMax;
  while (!file.ended && !file.finding.too_large) {
    if (capacity > kGrepLargeFileBytesMin && !turn) turn.lock();
    if (stop_.requested() || !fill(file, capacity)) return false;
    file.finding.too_large = file.held > kGrepWholeFileBytesMax;
    capacity = std::min(capacity * 2, kCapacityMax);
  }
  return !file.finding.too_large;
}

// ---- reading

// Until the buffer holds as much as it may, or the text has ended. False: it cannot be read.
bool GrepFile::fill(Progress& file, std::size_t capacity) {
  if (buffer_.size() < capacity) buffer_.resize(capacity);
  while (capacity - file.held >= kTextSourceBytesMin) {
    const std::ptrdiff_t got = file.source.read(buffer_.data() + file.held, capacity - file.held);
    if (got < 0) {
      file.finding.unreadable = true;
      return false;
    }
    file.held += static_cast<std::size_t>(got);
    file.ended = got == 0;
    if (file.ended) break;
  }
  return true;
}

bool GrepFile::is_stopped_by_zero(Progress& file, std::string_view fresh, std::uint64_t offset) {
  if (file.origin == Origin::named) {
    if (offset >= kBlockBytes || file.zero_at) return false;
    const auto zero = find_byte(fresh.substr(0, kBlockBytes - offset), '\0');
    if (zero) file.zero_at = offset + *zero;
    return false;
  }
  const auto zero = find_byte(fresh, '\0');
  if (!zero) return false;
  if (query_.mode == GrepMode::count) file.finding.matches = 0;
  if (query_.mode == GrepMode::content && file.finding.matches > 0) {
    file.writer.add_notice("binary from here on, not searched further (zero byte at offset " +
                           std::to_string(offset + *zero) + ")");
  }
  return true;
}

// A named file that is binary: that it matches is all that is shown.
bool GrepFile::is_shown(Progress& file, std::string_view text, Span lines) {
  if (file.origin == Origin::found) return true;
  if (!file.zero_at) {
    const auto zero = find_byte(piece(text, lines), '\0');
    if (zero) file.zero_at = file.offset + lines.begin + *zero;
  }
  if (!file.zero_at) return true;
  file.writer.add_notice("binary file matches (zero byte at offset " + std::to_string(*file.zero_at) + ")");
  file.done = true;
  return false;
}

}  // namespace deft
