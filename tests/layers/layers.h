#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

// Reads sources as text and says where they break the rules of the house: which folder may include which, which
// folders are pure, and how long a file may be. The table of layers stands in layers.cc.

namespace deft {

inline constexpr std::size_t kSourceLinesMax = 600;

struct Violation {
  std::string file;  // relative to the project's root
  std::size_t line = 0;
  std::string message;

  friend bool operator==(const Violation&, const Violation&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Violation& violation);
};

// `file` is the path from the project's root, such as "src/deft/core/scheduler.cc": it says which rules hold.
std::vector<Violation> check_source(std::string_view file, std::string_view text);

struct SourceTree {
  std::size_t files = 0;  // how many were read
  std::vector<Violation> violations;
};
// Every C++ and assembler file below src, tests, bench and examples.
SourceTree check_tree(const std::filesystem::path& root);

}  // namespace deft
