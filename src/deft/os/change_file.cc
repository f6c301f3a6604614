#include "deft/os/change_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>

#include "deft/base/path.h"
#include "deft/os/disk_files.h"
#include "deft/os/unique_fd.h"

namespace deft {
namespace {

constexpr std::size_t kChangedBytesMax = std::size_t{2} << 20;

Result<void> make_folders(const std::string& folder) {
  std::error_code ec;
  if (std::filesystem::is_directory(folder, ec)) return {};
  if (folder != "/") {
    if (auto made = make_folders(std::string(parent_path(folder))); !made) return made;
  }
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return std::unexpected(system_error(Errc::io, "cannot make the folder " + folder, errno));
}

Result<UniqueFd> lock(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return std::unexpected(system_error(Errc::io, "cannot open " + path, errno));
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return std::unexpected(system_error(Errc::io, "cannot lock " + path, errno));
  }
  return fd;
}

}  // namespace

Result<void> change_file(const std::string& path, const std::function<Result<std::string>(std::string text)>& change) {
  if (auto made = make_folders(std::string(parent_path(path))); !made) return made;
  DiskFiles files;
  const auto canonical = files.canonical(path);
  if (!canonical) return std::unexpected(canonical.error());
  const auto locked = lock(*canonical + ".lock");
  if (!locked) return std::unexpected(locked.error());
  const auto content = files.read(*canonical, kChangedBytesMax);
  const bool is_missing = !content && content.error().code == Errc::not_found;
  if (!content && !is_missing) return std::unexpected(content.error());
  const std::string before = content ? content->bytes : std::string();
  auto after = change(before);
  if (!after) return std::unexpected(after.error());
  if (content && *after == before) return {};
  const auto expected = content ? std::optional(content_id(before)) : std::nullopt;
  const auto replaced = files.replace(*canonical, *after, expected);
  if (!replaced) return std::unexpected(replaced.error());
  if (is_missing) ::chmod(canonical->c_str(), 0600);  // a new file is private
  return {};
}

}  // namespace deft
