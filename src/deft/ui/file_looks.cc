#include "deft/ui/file_looks.h"

#include <algorithm>

#include "deft/base/path.h"

namespace deft {
namespace {

bool is_same_time(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

}  // namespace

FileLooks::FileLooks(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    const std::string folder(parent_path(path));
    const bool has_folder = look_at(folder).has_value();
    const std::string& watched = has_folder ? path : folder;
    if (std::ranges::find(looked_, watched, &Looked::path) != looked_.end()) continue;
    looked_.push_back({watched, look_at(watched)});
  }
}

bool FileLooks::are_unchanged() const {
  return std::ranges::all_of(looked_, [](const Looked& one) { return is_same(one.look, look_at(one.path)); });
}

FileLooks::Look FileLooks::look_at(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

bool FileLooks::is_same(const Look& before, const Look& now) {
  if (!before || !now) return !before && !now;
  return before->st_dev == now->st_dev && before->st_ino == now->st_ino && before->st_size == now->st_size &&
         is_same_time(before->st_mtim, now->st_mtim) && is_same_time(before->st_ctim, now->st_ctim);
}

}  // namespace deft
