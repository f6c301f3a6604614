#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/core/file_ledger.h"
#include "deft/os/files.h"

// What the tools that read and change files have in common.

namespace deft {

inline constexpr std::size_t kFileBytesMax = std::size_t{64} << 20;

inline constexpr std::int64_t kFileIsGoneNs = -1;  // of FileWasLookedAt: in the place of a modification time

struct OpenedFile {
  std::string path;  // canonical
  FileContent content;
};
// The error for a missing file names the nearest thing that exists.
Result<OpenedFile> open_file(Files& files, std::string_view path);

// What the session remembers of a file of which every byte was shown, or written by us.
FileSeen seen_wholly(std::string_view canonical_path, const FileStatus& status, std::string_view bytes);

}  // namespace deft
