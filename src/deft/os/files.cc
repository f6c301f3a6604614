#include "deft/os/files.h"

#include "deft/base/content_hash.h"
#include "deft/base/text.h"

namespace deft {

ContentId content_id(std::string_view bytes) { return {bytes.size(), content_hash(bytes)}; }

Result<void> check_path(std::string_view path) {
  if (!path.starts_with('/')) return fail(Errc::invalid_input, "The path must be absolute: begin it with a slash.");
  if (path.find('\0') != std::string_view::npos) {
    return fail(Errc::invalid_input, "The path contains a zero byte; no file has such a name.");
  }
  if (path.size() > kPathBytesMax) {
    return fail(Errc::invalid_input, "The path is longer than " + std::to_string(kPathBytesMax) + " bytes.");
  }
  return {};
}

bool Files::is_canonical(std::string_view path) {
  const auto found = canonical(path);
  const auto there = found && *found == path ? status(path) : Result<FileStatus>(FileStatus{});
  return there && there->kind != FileKind::missing;
}

Error not_a_regular_file(std::string_view path, FileKind kind) {
  const std::string subject(path);
  switch (kind) {
    case FileKind::missing: return no_such_file(path);
    case FileKind::directory:
      return {Errc::unsupported, subject + " is a directory: list what is in it, then name a file."};
    case FileKind::symlink: return changed_meanwhile(path);
    case FileKind::fifo:
      return {Errc::unsupported, subject + " is a FIFO, which has no content of its own: name a regular file."};
    case FileKind::socket:
      return {Errc::unsupported, subject + " is a socket, which has no content of its own: name a regular file."};
    case FileKind::device:
      return {Errc::unsupported, subject + " is a device, which may never end: name a regular file."};
    case FileKind::regular: break;
  }
  return {Errc::internal, subject + " is a regular file."};
}

Error no_such_file(std::string_view path) { return {Errc::not_found, std::string(path) + " does not exist."}; }

Error too_large(std::string_view path, std::uint64_t size, std::size_t bytes_max) {
  return {Errc::limit, std::string(path) + " is too large (" + human_bytes(size) + ", at most " +
                           human_bytes(bytes_max) +
                           " can be read at once): search it, or cut the part out that you "
                           "need with a command such as head, tail or sed -n."};
}

Error changed_meanwhile(std::string_view path) {
  return {Errc::stale,
          std::string(path) + " was changed by someone else just now and was left as it is: read it again."};
}

Error already_exists(std::string_view path) {
  return {Errc::stale, std::string(path) + " exists already; nothing was written: read it before you change it."};
}

Error disk_full(std::string_view path) {
  return {Errc::io, "The disk is full; " + std::string(path) + " was left as it was: free some space, then try again."};
}

}  // namespace deft
