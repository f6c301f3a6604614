#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/glob.h"
#include "deft/base/result.h"
#include "deft/core/rule.h"

namespace deft {

// The path without links; what is missing is kept as written. Nothing: it cannot be told (a loop, no permission).
using ResolvePath = std::function<std::optional<std::string>(const std::string& path)>;

// The names in a folder, "." and ".." aside; nothing: it cannot be listed, or holds too many.
using ListFolder = std::function<std::optional<std::vector<std::string>>(const std::string& folder)>;

// From where the patterns of one settings source are seen.
struct PatternPlace {
  std::string directory;    // the session's working directory, absolute
  std::string home;         // absolute; empty if not known
  std::string source_root;  // what a leading "/" means
  ResolvePath resolve;      // empty: by text alone
};

// What stands in Read(…) and Edit(…), in gitignore's syntax:
//   //p  absolute      ~/p  from home      /p  from the settings' own folder      p, ./p  from the working directory
// A name without slash is meant at any depth. What matches a folder covers all that is in it. `dir/**` of one segment
// allows only at its anchor, but denies and asks at any depth. Immutable.
class PathPattern {
 public:
  static Result<PathPattern> compile(std::string_view pattern, RuleList list, const PatternPlace& place);

  // `path` is absolute and normal.
  bool matches(std::string_view path) const;
  // Everything in this folder matches.
  bool covers_folder(std::string_view folder) const;
  // Everything in this folder and its folders does, though perhaps not the folder itself.
  bool covers_tree(std::string_view folder) const;
  // Something in this folder may match. Also right if `folder` is not one.
  bool may_match_below(std::string_view folder) const;

 private:
  // One way to read it: from this folder down.
  struct Variant {
    std::string root;
    std::string literal;         // plain text that every match begins with, below the root
    std::string any_depth_name;  // not empty: this plain name, at any depth
    bool only_below = false;     // and only what is in it
    bool is_literal = false;     // it is the whole pattern
    std::optional<Glob> glob;
  };

  Result<void> add(const std::string& root, std::string_view pattern, bool any_depth, bool braces);
  static bool matches(const Variant& variant, std::string_view below);

  std::vector<Variant> variants_;
};

}  // namespace deft
