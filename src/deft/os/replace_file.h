#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/result.h"
#include "deft/os/files.h"

namespace deft {

struct ReplaceRequest {
  std::string path;  // canonical
  std::string_view bytes;
  std::optional<ContentId> expected;                 // nothing: no file may be there yet
  std::optional<std::uint32_t> mode = std::nullopt;  // of a new file: its permission bits; nothing: as the umask says
  bool sync = true;                                  // wait for the disk, to survive a power cut
  bool sweep = false;                                // look for what crashed writers left in the folder
  std::string journal_folder = {};                   // private; for a file that has to be written in place
};

// See Files::replace().
Result<Replaced> replace_file(const ReplaceRequest& request);

// Removes a regular file, provided that it has the expected content. Errors: `stale` if it does not; `io`.
Result<void> remove_file(const std::string& path, const ContentId& expected, bool sync);

}  // namespace deft
