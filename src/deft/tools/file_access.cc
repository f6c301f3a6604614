#include "deft/tools/file_access.h"

#include <algorithm>

#include "deft/base/content_hash.h"
#include "deft/base/nearest_file_name.h"
#include "deft/base/path.h"

namespace deft {

namespace {

constexpr std::size_t kSuggestionEntriesMax = 2'000;

bool exists(Files& files, std::string_view path) {
  const auto status = files.status(path);
  return status && status->kind != FileKind::missing;
}

// The first part of the path that does not exist, compared with what is there in its place.
Error missing_file(Files& files, std::string_view path) {
  std::string_view missing = path;
  while (missing != "/" && !exists(files, parent_path(missing))) missing = parent_path(missing);
  std::string message = std::string(path) + " does not exist";
  if (missing != path) message += ": there is no " + std::string(missing);
  const std::string_view folder = parent_path(missing);
  const auto names = files.list(folder, kSuggestionEntriesMax);
  const auto nearest = names ? nearest_file_name(file_name(missing), *names) : std::nullopt;
  if (!nearest) return {Errc::not_found, message + "; look for the right path first."};
  const std::string suggestion = (folder == "/" ? "/" : std::string(folder) + "/") + *nearest;
  return {Errc::not_found, message + ". Did you mean " + suggestion + "?"};
}

}  // namespace

bool is_allowed(const ToolIo& io, std::string_view canonical) {
  return io.allowed_paths.empty() || std::ranges::find(io.allowed_paths, canonical) != io.allowed_paths.end();
}

Result<std::string> allowed_path(ToolIo& io, std::string_view path) {
  auto canonical = io.os.files.canonical(path);
  if (!canonical || is_allowed(io, *canonical)) return canonical;
  return std::unexpected(changed_meanwhile(path));
}

Result<OpenedFile> open_file(ToolIo& io, std::string_view path) {
  Files& files = io.os.files;
  auto canonical = allowed_path(io, path);
  if (!canonical) return std::unexpected(canonical.error());
  auto content = files.read(*canonical, kFileBytesMax);
  if (content) return OpenedFile{std::move(*canonical), std::move(*content)};
  if (content.error().code == Errc::not_found) return std::unexpected(missing_file(files, *canonical));
  return std::unexpected(content.error());
}

FileSeen seen_wholly(std::string_view canonical_path, const FileStatus& status, std::string_view bytes) {
  return {.path = std::string(canonical_path),
          .modified_ns = status.modified_ns,
          .size = bytes.size(),
          .content_hash = content_hash(bytes),
          .whole = true,
          .lines = {},
          .read = {}};
}

}  // namespace deft
