#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/core/file_ledger.h"
#include "deft/os/files.h"
#include "deft/tools/tool.h"

// What the tools that read and change files have in common.

namespace deft {

inline constexpr std::size_t kFileBytesMax = std::size_t{64} << 20;

inline constexpr std::int64_t kFileIsGoneNs = -1;  // of FileWasLookedAt: in the place of a modification time

struct OpenedFile {
  std::string path;  // canonical
  FileContent content;
};
// The error for a missing file names the nearest thing that exists.
Result<OpenedFile> open_file(ToolIo& io, std::string_view path);

// Whether permission was given for this canonical path, or nobody was asked.
bool is_allowed(const ToolIo& io, std::string_view canonical);
// The canonical form of a path that the input names. One that leads elsewhere than when permission was given, because
// somebody has changed a link meanwhile, is refused.
Result<std::string> allowed_path(ToolIo& io, std::string_view path);

// What the session remembers of a file of which every byte was shown, or written by us.
FileSeen seen_wholly(std::string_view canonical_path, const FileStatus& status, std::string_view bytes);

}  // namespace deft
