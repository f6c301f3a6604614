#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "deft/os/unique_fd.h"

// The file that lies beside one while that is being replaced, and after a crash. Its name is hidden and tells what it
// is; for "a.cc" it is ".a.cc.deft-tmp-k3x9qa".

namespace deft {

std::string temporary_name(std::string_view file_name);
bool is_temporary_name(std::string_view file_name);

// A new file in an open folder, locked while it is in use. Removed at the end, unless somebody keeps it.
class TemporaryFile {
 public:
  // `mode` as for open(2). Use it only if it is good(); else errno says why not.
  TemporaryFile(int folder, std::string_view beside, unsigned mode);
  TemporaryFile(const TemporaryFile&) = delete;
  ~TemporaryFile();

  bool good() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }
  const std::string& name() const { return name_; }
  void keep() { kept_ = true; }  // it was renamed

 private:
  int folder_;
  std::string name_;
  UniqueFd fd_;
  bool kept_ = false;
};

// Removes what crashed writers left in a folder: temporary files that nobody holds a lock on and that are clearly older
// than `now_ns`, which is the time of a file just written there: so the clock of that file system, not ours, decides.
void sweep_leftovers(int folder, std::int64_t now_ns);

// The same beside one file, however young: for who knows that the one who wrote it is dead. The path is absolute and
// has no links in it.
void remove_leftovers_of(std::string_view path);

}  // namespace deft
