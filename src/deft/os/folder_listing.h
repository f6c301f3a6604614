#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace deft {

// The entries of an open folder, read with few system calls. Keep one and use it again: its memory stays.
class FolderListing {
 public:
  enum class Kind : std::uint8_t { file, folder, link, other };
  struct Entry {
    const char* name;  // valid until the next read
    Kind kind;
  };

  // Reads the next entries, all of a folder of ordinary size; never "." and "..". False: it cannot be read.
  bool read(int folder);
  const std::vector<Entry>& entries() const { return entries_; }
  bool is_complete() const { return complete_; }

 private:
  std::vector<char> buffer_;
  std::vector<Entry> entries_;
  bool complete_ = false;
};

}  // namespace deft
