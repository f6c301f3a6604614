#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/glob.h"
#include "deft/base/result.h"
#include "deft/os/walker.h"

namespace deft {

// Which files of a tree are wanted, as with ripgrep's --glob: patterns separated by spaces or commas, "!" before one
// that leaves out; the last that matches decides. A pattern without a slash is for the name, at any depth; one with a
// slash for the path, seen from the root of the search or from the working directory. What is chosen by a pattern is
// searched even if an ignore file names it.
class PathFilter {
 public:
  // `below`: where the root is as seen from the working directory, with a slash at its end; empty if it is not below
  // it.
  static Result<PathFilter> parse(std::string_view patterns, std::string_view below);

  WalkWish wish(std::string_view path, bool is_folder) const;

 private:
  struct Item {
    bool leaves_out = false;
    bool folders_only = false;
    bool whole_path = false;
    Glob glob;
  };

  bool matches(const Item& item, std::string_view path, std::string_view from_outside) const;
  bool may_hold_chosen(std::string_view folder) const;

  std::vector<Item> items_;
  bool chooses_ = false;  // what no pattern chooses is left out
  std::string below_;
};

}  // namespace deft
