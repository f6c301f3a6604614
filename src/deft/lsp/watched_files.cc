#include "deft/lsp/watched_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "deft/base/path.h"
#include "deft/lsp/server_table.h"
#include "deft/os/walker.h"

namespace deft::lsp {

class WatchedFiles::Visitor final : public WalkVisitor {
 public:
  Visitor(const std::string& root, const LanguageServerSpec& spec) : root_(root), spec_(spec) {}

  WalkWish wish(std::string_view path, bool is_folder) override {
    if (is_too_large) return WalkWish::skip;
    if (is_folder) return WalkWish::by_rules;
    const bool is_marker = std::ranges::find(spec_.root_markers, file_name(path)) != spec_.root_markers.end();
    return is_marker || language_of(path, spec_) ? WalkWish::by_rules : WalkWish::skip;
  }

  void visit(const WalkedFile& file, std::size_t) override {
    struct stat status{};
    if (::fstatat(file.folder, file.name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
    const Seen seen{.modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec,
                    .size = status.st_size};
    const std::lock_guard lock(mutex_);
    if (found.size() >= kWatchedFilesMax) is_too_large = true;
    found[root_ + "/" + std::string(file.folder_path) + file.name] = seen;
  }

  Snapshot found;
  std::atomic<bool> is_too_large = false;

 private:
  const std::string& root_;
  const LanguageServerSpec& spec_;
  std::mutex mutex_;
};

std::vector<WatchedFiles::Change> WatchedFiles::look() {
  if (is_too_large_ || (has_looked_ && clock_.now() < next_look_)) return {};
  const TimePoint began = clock_.now();
  Visitor visitor(root_, spec_);
  if (!walk({.root = root_}, visitor)) return {};
  const Duration took = clock_.now() - began;
  next_look_ = took > kQuickLook ? clock_.now() + took * kLookPauseFactor : TimePoint{};
  if (visitor.is_too_large) {
    is_too_large_ = true;
    seen_.clear();
    return {};
  }
  const Snapshot before = std::exchange(seen_, std::move(visitor.found));
  if (!std::exchange(has_looked_, true)) return {};
  std::vector<Change> changes;
  for (const auto& [path, seen] : before) {
    const auto now = seen_.find(path);
    if (now == seen_.end()) {
      changes.push_back({path, ChangeKind::deleted});
    } else if (now->second != seen) {
      changes.push_back({path, ChangeKind::changed});
    }
  }
  for (const auto& [path, seen] : seen_) {
    if (!before.contains(path)) changes.push_back({path, ChangeKind::created});
  }
  std::ranges::sort(changes, {}, &Change::path);
  return changes;
}

}  // namespace deft::lsp
