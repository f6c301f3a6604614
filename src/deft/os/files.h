#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"

// The seam to the disk. A caller makes a path canonical first, decides on the canonical spelling, and then uses
// exactly that one: it is opened without following any symbolic link, so that a link which somebody puts in its way
// in between is refused and not followed.
//
// Every path is absolute; bytes that are not UTF-8 are fine, a zero byte is not. Every method may be called from
// several threads at once, and none waits for a FIFO or a device.

namespace deft {

enum class FileKind : std::uint8_t { missing, regular, directory, symlink, fifo, socket, device };

struct FileStatus {
  FileKind kind = FileKind::missing;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;  // since 1970
  std::uint32_t mode = 0;        // permission bits, setuid, setgid and sticky included
  std::uint64_t links = 0;
  std::uint64_t device = 0;  // with the inode: which file it is, whatever its name
  std::uint64_t inode = 0;
};

struct FileContent {
  FileStatus status;  // from before the first byte was read
  std::string bytes;
};

// Which content a file must have for a change to go ahead.
struct ContentId {
  std::uint64_t size = 0;
  std::string hash;  // content_hash()
};
ContentId content_id(std::string_view bytes);

struct Replaced {
  FileStatus status;             // of the new content
  std::string in_place_because;  // not empty: it could not be replaced at one stroke, and why
};

class Files {
 public:
  virtual ~Files() = default;

  // The path without symbolic links, "." and "..". What does not exist yet is kept as it is written. A name that
  // cannot be written in UTF-8 may be given as it is shown, with U+FFFD for each stray byte, if just one fits.
  virtual Result<std::string> canonical(std::string_view path) = 0;

  // It is there, and is its own canonical path.
  virtual bool is_canonical(std::string_view path);

  // Of the entry itself: a link is not followed. Missing is an answer, not an error.
  virtual Result<FileStatus> status(std::string_view path) = 0;

  // All of a regular file. Errors: `not_found`; `unsupported` for anything that is not a regular file; `limit` if it
  // is larger than `bytes_max`; `stale` if a link got in the way; `io`.
  virtual Result<FileContent> read(std::string_view path, std::size_t bytes_max) = 0;
  // The same of one that is on the machine's own disk, so that it takes no longer than that does; else `unsupported`.
  virtual Result<FileContent> read_at_hand(std::string_view path, std::size_t bytes_max) = 0;

  // The names in a folder, sorted by their bytes; of a larger folder `entries_max` of them.
  virtual Result<std::vector<std::string>> list(std::string_view folder, std::size_t entries_max) = 0;

  // Gives a file new content, provided that it still has the `expected` one; without that, provided that nothing is
  // there, and missing folders are made. Errors: `stale` if what is there is something else; `unsupported`; `io`.
  //
  // Whoever looks, and whatever ends this process meanwhile, sees the old content or the new one, never a mixture:
  // the new file is written beside the old one (its name: temporary_file.h) and takes its place. Mode, owner, access
  // lists and other attributes are kept. Where that cannot be (other hard links, a folder that is not writable, a
  // file that is a mount point, an owner that we may not set), the file is written in place: then both contents lie in
  // a journal meanwhile, from which the old one is put back after a kill. After an error the old content is there.
  virtual Result<Replaced> replace(std::string_view path, std::string_view bytes,
                                   const std::optional<ContentId>& expected) = 0;

  // As replace() where nothing is; the new file has these permission bits, whatever the umask says.
  virtual Result<Replaced> create(std::string_view path, std::string_view bytes, std::uint32_t mode) = 0;

  // Removes a regular file, provided that it has the expected content. Errors: `stale` if it does not; `io`.
  virtual Result<void> remove(std::string_view path, const ContentId& expected) = 0;
};

inline constexpr std::size_t kPathBytesMax = 4095;
// For implementations: absolute, no zero byte, not too long.
Result<void> check_path(std::string_view path);
// Why it cannot be read or replaced as a file, and what to do instead.
Error not_a_regular_file(std::string_view path, FileKind kind);
Error no_such_file(std::string_view path);
Error too_large(std::string_view path, std::uint64_t size, std::size_t bytes_max);
Error changed_meanwhile(std::string_view path);
Error already_exists(std::string_view path);
Error disk_full(std::string_view path);

}  // namespace deft
