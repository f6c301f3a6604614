#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Reads sources as text and says where they break the rules of the house: which folder may include which, which
// folders are pure, how long a file may be, and that no two files define a type of the same name. The table of layers
// stands in layers.cc.

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

// Give it every file once, in the same order each time.
class TypeNames {
 public:
  std::vector<Violation> check(const std::string& file, std::string_view text);

 private:
  std::map<std::string, std::string> first_;  // file, by the name of a type
};

struct SourceTree {
  std::size_t files = 0;  // how many were read
  std::vector<Violation> violations;
};
// Every C++ and assembler file below src, tests, bench and examples.
SourceTree check_tree(const std::filesystem::path& root);

}  // namespace deft
