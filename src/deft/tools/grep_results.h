#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "deft/tools/grep_file.h"

namespace deft {

inline constexpr std::size_t kGrepResultCharactersMax = 20'000;
inline constexpr std::size_t kGrepHeldBytesMax = std::size_t{64} << 20;

// Sorts paths as a walk in the order of names would meet them: what is in "a" comes before "a.txt".
struct PathOrder {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};

// Gathers what the files gave, in whatever order that comes, and gives it out sorted by path. Holds only what may be
// shown: of everything else it keeps the count. Called from several threads at once.
class GrepResults {
 public:
  // `separated`: a line "--" stands between the lines of different files.
  GrepResults(GrepMode mode, bool separated, std::size_t offset, std::size_t head_limit);

  // How many lines of a file may be shown, 0: it is behind everything that will be.
  std::size_t lines_wanted(std::string_view path) const;
  void add(std::string_view path, GrepFinding finding);

  struct Window {
    std::string text;                // whole lines
    std::size_t lines = 0;           // in the text
    std::vector<std::string> files;  // that the lines are of
    std::size_t characters = 0;
    bool was_cut = false;       // there was no room for more
    bool out_of_reach = false;  // the offset lies behind what could be held
  };
  // All lines from the offset on, as far as head_limit and the room allow. Once, when nothing more is added.
  Window take_window(std::size_t characters_max);

  // Of everything, shown or not.
  struct Totals {
    std::size_t files = 0;
    std::size_t lines = 0;
    std::size_t matches = 0;
    std::size_t unreadable = 0;
    std::size_t too_large = 0;
  };
  Totals totals() const;

 private:
  struct Held {
    std::size_t lines;  // with the separator before them
    std::string text;   // whole lines; may hold fewer
  };

  void take_lines(std::string_view text, std::size_t first, std::size_t lines, std::size_t characters_max,
                  Window& window) const;

  const GrepMode mode_;
  const bool separated_;
  const std::size_t offset_;
  const std::size_t lines_max_;  // offset and what may be shown
  mutable std::mutex mutex_;
  std::map<std::string, Held, PathOrder> held_;  // under mutex_, as all below
  std::size_t held_lines_ = 0;
  std::size_t held_bytes_ = 0;
  Totals totals_;
};

}  // namespace deft
