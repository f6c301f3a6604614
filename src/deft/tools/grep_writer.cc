#include "deft/tools/grep_writer.h"

#include <algorithm>
#include <cstring>

#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kShownBeforeMatchBytes = 100;  // of a line that is cut

// Sixteen bytes at a time: in large files a good part of the time is spent here.
std::size_t count_newlines(std::string_view text) {
  using Lanes = unsigned char __attribute__((vector_size(16)));
  constexpr std::size_t kAddedMax = 255;  // then a lane is full
  std::size_t count = 0;
  while (text.size() >= sizeof(Lanes)) {
    Lanes lanes{};
    const std::size_t steps = std::min(text.size() / sizeof(Lanes), kAddedMax);
    for (std::size_t i = 0; i < steps; ++i) {
      Lanes bytes;
      std::memcpy(&bytes, text.data() + i * sizeof bytes, sizeof bytes);
      lanes -= reinterpret_cast<Lanes>(bytes == '\n');  // equal lanes are -1
    }
    for (std::size_t lane = 0; lane < sizeof lanes; ++lane) count += lanes[lane];
    text.remove_prefix(steps * sizeof(Lanes));
  }
  return count + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// A carriage return before the newline belongs to the line's end.
std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void append_shown(std::string& out, std::string_view line, Span match) {
  if (line.size() <= kGrepLineCharactersMax || first_characters(line, kGrepLineCharactersMax).size() == line.size()) {
    out += line;
    return;
  }
  const bool cut_before = match.begin > kShownBeforeMatchBytes && match.end > kGrepLineCharactersMax;
  const std::size_t begin = cut_before ? utf8_prefix(line, match.begin - kShownBeforeMatchBytes).size() : 0;
  const std::string_view shown = first_characters(line.substr(begin), kGrepLineCharactersMax);
  if (cut_before) out += "…";
  out += shown;
  if (begin + shown.size() < line.size()) out += "…";
  out += " [cut; the line has " + human_bytes(line.size()) + "]";
}

}  // namespace

void GrepWriter::begin_block(std::string_view text) {
  block_ = text;
  counted_to_ = 0;
  number_ = block_number_;
}

std::uint64_t GrepWriter::number_at(std::size_t position) {
  if (!format_.numbers) return 0;
  number_ += count_newlines(block_.substr(counted_to_, position - counted_to_));
  counted_to_ = position;
  return number_;
}

Span GrepWriter::line_at(std::size_t begin) const { return {begin, std::min(block_.find('\n', begin), block_.size())}; }

void GrepWriter::add_lines(Span lines, Span match) {
  // A match over several lines may begin on one that the last match ended on.
  if (written_to_ > block_begin_) lines.begin = std::max<std::size_t>(lines.begin, written_to_ - block_begin_);
  if (lines.begin > lines.end) return;
  begin_match(lines.begin);
  for (std::size_t at = lines.begin; at <= lines.end;) {
    const Span line = line_at(at);
    const bool begins_here = match.begin >= line.begin && match.begin <= line.end;
    write_in_block(line, ':', begins_here ? Span{match.begin - line.begin, match.end - line.begin} : Span{});
    at = line.end + 1;
    if (at >= block_.size()) break;
  }
  after_left_ = format_.lines_after;
}

void GrepWriter::add_parts(Span line, const std::vector<Span>& parts) {
  begin_match(line.begin);
  const std::uint64_t number = number_at(line.begin);
  for (const Span& part : parts) write(block_.substr(part.begin, part.end - part.begin), number, ':');
  written_to_ = block_begin_ + line.end + 1;
  after_left_ = format_.lines_after;
}

// What stands between the last match and this one, as far as it is wanted.
void GrepWriter::begin_match(std::size_t begin) {
  write_context_after(begin);
  std::size_t first = begin;
  std::size_t wanted = format_.lines_before;
  const std::size_t free_from = written_to_ > block_begin_ ? written_to_ - block_begin_ : 0;
  for (; wanted > 0 && first > free_from; --wanted) {
    const void* newline = first < 2 ? nullptr : ::memrchr(block_.data(), '\n', first - 1);
    first = newline ? static_cast<std::size_t>(static_cast<const char*>(newline) - block_.data()) + 1 : 0;
  }
  std::size_t carried = first == 0 ? std::min(wanted, carried_.size()) : 0;
  while (carried > 0 && carried_[carried_.size() - carried].begin < written_to_) --carried;

  write_gap(carried > 0 ? carried_[carried_.size() - carried].begin : block_begin_ + first);
  for (; carried > 0; --carried) {
    write_shown(carried_[carried_.size() - carried].text, block_number_ - carried, '-');
  }
  while (first < begin) {
    const Span line = line_at(first);
    write_in_block(line, '-');
    first = line.end + 1;
  }
}

void GrepWriter::write_context_after(std::size_t end) {
  std::size_t at = written_to_ > block_begin_ ? written_to_ - block_begin_ : 0;
  for (; after_left_ > 0 && at < end; --after_left_) {
    const Span line = line_at(at);
    write_in_block(line, '-');
    at = line.end + 1;
  }
}

void GrepWriter::write_gap(std::uint64_t begin) {
  if (!wrote_any_ || begin <= written_to_ || format_.lines_before + format_.lines_after == 0) return;
  if (lines_++ < format_.lines_max && text_.size() < format_.bytes_max) text_ += "--\n";
}

void GrepWriter::write_in_block(Span line, char mark, Span match) {
  write(block_.substr(line.begin, line.end - line.begin), number_at(line.begin), mark, match);
  written_to_ = block_begin_ + line.end + 1;
}

void GrepWriter::write(std::string_view line, std::uint64_t number, char mark, Span match) {
  if (!begin_line(number, mark)) return;
  append_shown(text_, without_return(line), match);
  text_ += '\n';
}

void GrepWriter::write_shown(std::string_view shown, std::uint64_t number, char mark) {
  if (begin_line(number, mark)) text_.append(shown).append("\n");
}

bool GrepWriter::begin_line(std::uint64_t number, char mark) {
  wrote_any_ = true;
  if (lines_++ >= format_.lines_max || text_.size() >= format_.bytes_max) return false;
  text_ += format_.path;
  text_ += mark;
  if (format_.numbers) {
    text_ += std::to_string(number);
    text_ += mark;
  }
  return true;
}

void GrepWriter::end_block(bool is_last) {
  write_context_after(block_.size());
  if (is_last) return;
  carry_last_lines();
  block_number_ = number_at(block_.size());
  block_begin_ += block_.size();
  block_ = {};
  counted_to_ = 0;
}

void GrepWriter::carry_last_lines() {
  std::vector<Carried> lines;
  for (std::size_t end = block_.size(); end > 0 && lines.size() < format_.lines_before;) {
    const void* newline = end < 2 ? nullptr : ::memrchr(block_.data(), '\n', end - 1);
    const std::size_t begin =
        newline ? static_cast<std::size_t>(static_cast<const char*>(newline) - block_.data()) + 1 : 0;
    std::string shown;
    append_shown(shown, without_return(block_.substr(begin, end - 1 - begin)), {});
    lines.push_back({block_begin_ + begin, std::move(shown)});
    end = begin;
  }
  carried_.insert(carried_.end(), std::make_move_iterator(lines.rbegin()), std::make_move_iterator(lines.rend()));
  while (carried_.size() > format_.lines_before) carried_.pop_front();
}

void GrepWriter::add_long_line(std::string_view beginning, std::uint64_t bytes, bool matches) {
  std::string shown(first_characters(beginning, kGrepLineCharactersMax));
  shown += "… [cut; the line has " + human_bytes(bytes) + "]";
  begin_block("");
  const bool is_context = !matches && after_left_ > 0;
  if (matches) {
    begin_match(0);
    write_shown(shown, block_number_, ':');
    after_left_ = format_.lines_after;
  } else if (is_context) {
    write_shown(shown, block_number_, '-');
    --after_left_;
  }
  if (matches || is_context) written_to_ = block_begin_ + bytes + 1;
  if (format_.lines_before > 0) carried_.push_back({block_begin_, std::move(shown)});
  while (carried_.size() > format_.lines_before) carried_.pop_front();
  block_begin_ += bytes + 1;
  ++block_number_;
}

void GrepWriter::add_notice(std::string_view text) {
  if (lines_++ >= format_.lines_max) return;
  text_.append(format_.path).append(": ").append(text).append("\n");
}

}  // namespace deft
