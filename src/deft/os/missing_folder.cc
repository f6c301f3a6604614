#include "deft/os/missing_folder.h"

#include <sys/stat.h>

#include "deft/base/path.h"

namespace deft {

std::string topmost_missing_folder(const std::string& path) {
  std::string topmost;
  struct stat found{};
  for (std::string folder(parent_path(path)); folder.size() > 1 && ::lstat(folder.c_str(), &found) != 0;) {
    topmost = folder;
    folder = parent_path(folder);
  }
  return topmost;
}

}  // namespace deft
