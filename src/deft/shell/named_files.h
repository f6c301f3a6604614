#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "deft/shell/commands.h"

// Which files a command line shows. Answers only what is certain from the text; paths are absolute and without "." and
// "..", links are not followed.

namespace deft::shell {

struct ShownFile {
  std::string path;
  std::size_t first_line = 1;
  std::size_t last_line = 0;  // 0: to the end

  bool is_whole() const { return first_line == 1 && last_line == 0; }
  bool operator==(const ShownFile&) const = default;
};

// Files whose lines stand in the output, unfiltered, if the line ended with code 0: cat F, nl F, head -n N F,
// tail -n +N F, sed -n 'X,Yp' F. A file that cannot be read is listed as well: its absence shows in the output.
std::vector<ShownFile> shown_files(const Commands& commands);

}  // namespace deft::shell
