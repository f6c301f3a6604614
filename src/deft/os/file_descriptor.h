#pragma once

#include <dirent.h>
#include <sys/stat.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "deft/base/result.h"
#include "deft/os/files.h"

// What DiskFiles does with open descriptors. Calls that fail leave errno.

namespace deft {

FileStatus status_of(const struct stat& found);

// An entry of an open folder, or (AT_FDCWD) an absolute path; a link is not followed. Missing is an answer.
Result<FileStatus> status_at(int folder, const std::string& name, std::string_view path);

// All that there is from the current position, at most one byte more than `bytes_max`. False: errno.
bool read_all(int fd, std::size_t size_expected, std::size_t bytes_max, std::string& bytes);
bool write_all(int fd, std::string_view bytes);  // from the beginning
bool sync_data(int fd);
// The names in an open folder, O_PATH too: what was made, renamed or removed there.
bool sync_folder(int folder);
// Those in a folder and in all above it, as far as we may look: somebody has just made some of them.
bool sync_folders_up_from(std::string_view folder);
bool is_disk_full(int error_number);
Error write_error(std::string_view path, int error_number);  // of a write that left the file as it was

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using DirectoryStream = std::unique_ptr<DIR, CloseDirectory>;
DirectoryStream open_directory_stream(int directory);  // of an open directory, O_PATH too. None: errno

// An opened regular file, read wholly. `path` is for the messages.
Result<FileContent> read_regular_file(int fd, std::string_view path, std::size_t bytes_max);

}  // namespace deft
