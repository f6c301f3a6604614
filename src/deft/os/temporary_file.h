#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "deft/os/unique_fd.h"

// The files that lie beside one while it is being changed, and after a crash. Their names are hidden and tell what
// they are. For "a.cc":
//   .a.cc.deft-tmp-k3x9qa  new content that was not finished or not yet put in place; swept later
//   .a.cc.deft-old-k3x9qa  the old content of a file that was being written in place; left for people

namespace deft {

enum class TemporaryUse { new_content, old_content };

std::string temporary_name(std::string_view file_name, TemporaryUse use);
bool is_new_content_name(std::string_view file_name);

// A new file in an open folder, locked while it is in use. Removed at the end, unless somebody keeps it.
class TemporaryFile {
 public:
  // `mode` as for open(2). Use it only if it is good(); else errno says why not.
  TemporaryFile(int folder, std::string_view beside, TemporaryUse use, unsigned mode);
  TemporaryFile(const TemporaryFile&) = delete;
  ~TemporaryFile();

  bool good() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }
  const std::string& name() const { return name_; }
  void keep() { kept_ = true; }  // it was renamed, or somebody needs it

 private:
  int folder_;
  std::string name_;
  UniqueFd fd_;
  bool kept_ = false;
};

// Removes what crashed writers left in a folder: new content that nobody holds a lock on and that is clearly older than
// `now_ns`, which is the time of a file just written there: so the clock of that file system, not ours, decides.
void sweep_leftovers(int folder, std::int64_t now_ns);

}  // namespace deft
