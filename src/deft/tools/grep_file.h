#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/tools/grep_query.h"
#include "deft/tools/grep_writer.h"
#include "deft/tools/search_stop.h"
#include "deft/tools/text_source.h"

namespace deft {

inline constexpr std::size_t kGrepLineBytesMax = std::size_t{4} << 20;        // a longer line is searched in pieces
inline constexpr std::size_t kGrepWholeFileBytesMax = std::size_t{64} << 20;  // for matches over several lines
inline constexpr std::size_t kGrepLargeFileBytesMin = std::size_t{4} << 20;   // of such files one is held at a time

// What one file gave.
struct GrepFinding {
  std::size_t matches = 0;  // lines that match; matches, if asked for those or if they go over lines. `files`: 0 or 1
  std::size_t lines = 0;    // mode `content`: lines to show; `text` may hold fewer
  std::string text = {};
  bool unreadable = false;
  bool too_large = false;  // to be held as a whole, so not searched
};

// Searches one file after another. One for each thread: what it learned and its memory are used again.
class GrepFile {
 public:
  // `large_file` is shared by all threads of a search.
  GrepFile(const GrepQuery& query, const GrepPattern& pattern, SearchStop& stop, std::mutex& large_file);

  // Binary files as in ripgrep. Of one that was found by walking, only what was read before the block with its first
  // zero byte counts, and nothing in mode `count`; of one that was named, everything, but none of its lines is shown.
  enum class Origin : std::uint8_t { found, named };
  // `size` is what the file said of itself; it may have changed since.
  GrepFinding search(int fd, std::uint64_t size, const GrepFormat& format, Origin origin);

 private:
  struct Progress;

  void search_by_line(Progress& file);
  void search_block(Progress& file, std::string_view block, bool is_last);
  void search_long_line(Progress& file);
  void take_line(Progress& file, std::string_view block, Span line);
  void take_parts(Progress& file, std::string_view block, Span line);

  void search_whole(Progress& file);
  void take_span(Progress& file, std::string_view text, Span match);
  bool read_whole(Progress& file, std::unique_lock<std::mutex>& turn);
  void search_text(Progress& file, std::string_view text);

  bool fill(Progress& file, std::size_t capacity);
  bool is_stopped_by_zero(Progress& file, std::string_view fresh, std::uint64_t offset);
  bool is_shown(Progress& file, std::string_view text, Span lines);

  const GrepQuery& query_;
  const GrepPattern& pattern_;
  SearchStop& stop_;
  std::mutex& large_file_;
  std::optional<LineSearch> lines_;
  std::optional<WholeSearch> whole_;
  std::vector<char> buffer_;
  std::vector<Span> parts_;
};

}  // namespace deft
