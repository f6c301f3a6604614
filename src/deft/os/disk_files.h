#pragma once

#include <map>
#include <mutex>
#include <set>

#include "deft/os/files.h"
#include "deft/os/survives.h"

namespace deft {

// The real disk.
class DiskFiles final : public Files {
 public:
  // power_cut: new content is on the disk before it takes the place of the old one, so that a power cut, too, leaves
  // the old or the new, and what was reported as done stays done. killed: that holds when only the process ends.
  // In the journal folder, which must be private, lie the contents of files that are being written in place; empty:
  // in one that all processes of the user share.
  explicit DiskFiles(Survives survives = Survives::power_cut, std::string journal_folder = {})
      : survives_(survives), journal_folder_(std::move(journal_folder)) {}

  // Repairs what a killed process left half-written, by the journals in this object's folder. Returns which files.
  std::vector<std::string> recover();

  Result<std::string> canonical(std::string_view path) override;
  bool is_canonical(std::string_view path) override;
  Result<FileStatus> status(std::string_view path) override;
  Result<FileContent> read(std::string_view path, std::size_t bytes_max) override;
  Result<FileContent> read_at_hand(std::string_view path, std::size_t bytes_max) override;
  Result<std::vector<std::string>> list(std::string_view folder, std::size_t entries_max) override;
  Result<Replaced> replace(std::string_view path, std::string_view bytes,
                           const std::optional<ContentId>& expected) override;
  Result<Replaced> create(std::string_view path, std::string_view bytes, std::uint32_t mode) override;
  Result<void> remove(std::string_view path, const ContentId& expected) override;

 private:
  bool is_first_write_in(std::string_view folder);
  bool is_at_hand(std::string_view path, const FileStatus& status);
  static Result<FileContent> read_as(std::string_view path, const FileStatus& before, std::size_t bytes_max);

  std::string journal_folder() const;

  const Survives survives_;
  const std::string journal_folder_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> folders_written_;  // under mutex_; what earlier crashes left there was swept
  std::map<std::uint64_t, bool> devices_at_hand_;       // under mutex_
};

}  // namespace deft
