#include "deft/os/strangers_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace deft {

bool is_strangers(const std::string& folder, const std::string& directory) {
  struct stat above{};
  struct stat here{};
  if (::lstat(folder.c_str(), &above) != 0) return errno != ENOENT;  // what is not there is nobody's
  const bool is_of_same = ::lstat(directory.c_str(), &here) == 0 && above.st_uid == here.st_uid;
  const bool is_known = above.st_uid == ::geteuid() || above.st_uid == 0 || is_of_same;
  const bool is_everybodys = S_ISDIR(above.st_mode) && (above.st_mode & S_ISVTX) != 0 && (above.st_mode & S_IWOTH) != 0;
  return !is_known || is_everybodys;
}

}  // namespace deft
