#pragma once

#include <mutex>
#include <set>

#include "deft/os/files.h"

namespace deft {

// The real disk.
class DiskFiles final : public Files {
 public:
  // power_cut: new content is on the disk before it takes the place of the old one (a few milliseconds a file), so
  // that a power cut, too, leaves the old or the new. killed: that holds when only the process ends.
  enum class Survives { power_cut, killed };
  explicit DiskFiles(Survives survives = Survives::power_cut) : survives_(survives) {}

  Result<std::string> canonical(std::string_view path) override;
  Result<FileStatus> status(std::string_view path) override;
  Result<FileContent> read(std::string_view path, std::size_t bytes_max) override;
  Result<std::vector<std::string>> list(std::string_view folder, std::size_t entries_max) override;
  Result<Replaced> replace(std::string_view path, std::string_view bytes,
                           const std::optional<ContentId>& expected) override;

 private:
  bool is_first_write_in(std::string_view folder);

  const Survives survives_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> folders_written_;  // under mutex_; what earlier crashes left there was swept
};

}  // namespace deft
