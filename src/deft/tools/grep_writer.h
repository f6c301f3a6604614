#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/regex.h"

namespace deft {

inline constexpr std::size_t kGrepLineCharactersMax = 500;  // a longer line is cut around its match

// How the lines of a file are written: "path:12:text" for a match, "path-11-text" for a line around one, "--" where
// lines are left out.
struct GrepFormat {
  std::string_view path;  // must outlive the writer
  bool numbers = true;
  std::size_t lines_before = 0;
  std::size_t lines_after = 0;
  // Beyond these, lines are only counted.
  std::size_t lines_max = 0;
  std::size_t bytes_max = 0;
};

// Writes the matches of one file. Its text comes in blocks of whole lines, in order, and so do the matches in a block.
class GrepWriter {
 public:
  explicit GrepWriter(const GrepFormat& format) : format_(format) {}

  void begin_block(std::string_view text);
  // One line or several, without the last newline; `match` says which part matters if a line is too long to be shown.
  void add_lines(Span lines, Span match);
  // Only the matching parts of one line.
  void add_parts(Span line, const std::vector<Span>& parts);
  void end_block(bool is_last);

  // Between two blocks: a line that was too long to be held, by its beginning and its length.
  void add_long_line(std::string_view beginning, std::uint64_t bytes, bool matches);
  void add_notice(std::string_view text);

  std::size_t lines() const { return lines_; }
  std::string take_text() { return std::move(text_); }

 private:
  struct Carried {
    std::uint64_t begin;  // in the file
    std::string text;
  };

  void begin_match(std::size_t begin);
  void write_context_after(std::size_t end);
  void write_gap(std::uint64_t begin);
  void write(std::string_view line, std::uint64_t number, char mark, Span match = {});
  void write_shown(std::string_view shown, std::uint64_t number, char mark);  // as it is: it may have been cut already
  bool begin_line(std::uint64_t number, char mark);                           // false: there is no room for it
  void write_in_block(Span line, char mark, Span match = {});
  Span line_at(std::size_t begin) const;  // without its newline
  std::uint64_t number_at(std::size_t position);
  void carry_last_lines();

  GrepFormat format_;
  std::string text_;
  std::size_t lines_ = 0;

  std::string_view block_;
  std::uint64_t block_begin_ = 0;   // in the file
  std::uint64_t block_number_ = 1;  // of its first line
  std::size_t counted_to_ = 0;      // in the block: newlines before this place …
  std::uint64_t number_ = 1;        // … are counted in this
  bool wrote_any_ = false;
  std::uint64_t written_to_ = 0;  // in the file: behind the last line that was written
  std::size_t after_left_ = 0;    // lines still to be written after the last match
  std::deque<Carried> carried_;   // the last lines before the block
};

}  // namespace deft
