#include "deft/os/private_folder.h"

#include <sys/stat.h>

#include <cerrno>

namespace deft {

Result<void> make_private_folders(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};  // as a rule only the last one is missing
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      return std::unexpected(system_error(Errc::io, "cannot create " + part, errno));
    }
    if (slash == std::string::npos) return {};
  }
}

}  // namespace deft
