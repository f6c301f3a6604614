#include "deft/testing/fake_files.h"

#include <cerrno>

#include "deft/base/content_hash.h"
#include "deft/base/path.h"
#include "deft/os/resolve_path.h"

namespace deft {

namespace {
constexpr std::int64_t kTickNs = 1'000'000;
}

void FakeFiles::put(std::string_view path, std::string_view bytes, std::uint32_t mode) {
  const std::lock_guard lock(mutex_);
  put_node(path, FileKind::regular, bytes, mode);
}

void FakeFiles::put_folder(std::string_view path) {
  const std::lock_guard lock(mutex_);
  put_node(path, FileKind::directory, "", 0755);
}

void FakeFiles::put_link(std::string_view path, std::string_view target) {
  const std::lock_guard lock(mutex_);
  put_node(path, FileKind::symlink, target, 0777);
}

void FakeFiles::put_hard_link(std::string_view path, std::string_view existing) {
  const std::lock_guard lock(mutex_);
  make_folders_above(path);
  const NodePtr node = find(existing);
  ++node->status.links;
  nodes_.insert_or_assign(std::string(path), node);
}

void FakeFiles::put_special(std::string_view path, FileKind kind) {
  const std::lock_guard lock(mutex_);
  put_node(path, kind, "", 0644);
}

void FakeFiles::touch(std::string_view path) {
  const std::lock_guard lock(mutex_);
  find(path)->status.modified_ns = time_ns_ += kTickNs;
}

void FakeFiles::take_away(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (const NodePtr node = find(path)) --node->status.links;
  nodes_.erase(nodes_.find(path));
}

std::optional<std::string> FakeFiles::bytes(std::string_view path) const {
  const std::lock_guard lock(mutex_);
  const NodePtr node = find(path);
  return node && node->status.kind == FileKind::regular ? std::optional(node->text) : std::nullopt;
}

void FakeFiles::set_disk_full(bool full) {
  const std::lock_guard lock(mutex_);
  disk_full_ = full;
}

void FakeFiles::deny(std::string_view path) {
  const std::lock_guard lock(mutex_);
  denied_.emplace(path);
}

void FakeFiles::fail_operation(std::size_t n, Error error) {
  const std::lock_guard lock(mutex_);
  failures_.insert_or_assign(operations_ + n, std::move(error));
}

std::size_t FakeFiles::operations() const {
  const std::lock_guard lock(mutex_);
  return operations_;
}

Result<std::string> FakeFiles::canonical(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (auto good = begin_operation(); !good) return std::unexpected(good.error());
  return resolve_path(path, [&](const std::string& step) -> Result<PathStep> {
    const NodePtr node = find(step);
    if (!node) return PathStep{};
    if (node->status.kind != FileKind::symlink) return PathStep{PathStep::Kind::plain, {}};
    return PathStep{PathStep::Kind::link, node->text};
  });
}

Result<FileStatus> FakeFiles::status(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (auto good = begin_operation(); !good) return std::unexpected(good.error());
  if (auto good = check_path(path); !good) return std::unexpected(good.error());
  const NodePtr node = find(path);
  return node ? node->status : FileStatus{};
}

Result<FileContent> FakeFiles::read(std::string_view path, std::size_t bytes_max) {
  const std::lock_guard lock(mutex_);
  if (auto good = begin_operation(); !good) return std::unexpected(good.error());
  const auto node = regular_file(path);
  if (!node) return std::unexpected(node.error());
  if (denied_.contains(path)) {
    return std::unexpected(system_error(Errc::io, "cannot open " + std::string(path), EACCES));
  }
  const FileStatus& status = (*node)->status;
  if (status.size > bytes_max) return std::unexpected(too_large(path, status.size, bytes_max));
  return FileContent{status, (*node)->text};
}

Result<std::vector<std::string>> FakeFiles::list(std::string_view folder, std::size_t entries_max) {
  const std::lock_guard lock(mutex_);
  if (auto good = begin_operation(); !good) return std::unexpected(good.error());
  const NodePtr node = find(folder);
  if (!node) return std::unexpected(no_such_file(folder));
  std::vector<std::string> names;
  for (const auto& [path, unused] : nodes_) {
    if (path != "/" && parent_path(path) == folder && names.size() < entries_max) names.emplace_back(file_name(path));
  }
  return names;
}

Result<Replaced> FakeFiles::replace(std::string_view path, std::string_view bytes,
                                    const std::optional<ContentId>& expected) {
  return write(path, bytes, expected, 0644);
}

Result<Replaced> FakeFiles::create(std::string_view path, std::string_view bytes, std::uint32_t mode) {
  return write(path, bytes, std::nullopt, mode);
}

Result<void> FakeFiles::remove(std::string_view path, const ContentId& expected) {
  const std::lock_guard lock(mutex_);
  if (auto good = begin_operation(); !good) return good;
  const auto node = regular_file(path);
  if (!node || content_hash((*node)->text) != expected.hash) return std::unexpected(changed_meanwhile(path));
  if (denied_.contains(path)) {
    return std::unexpected(system_error(Errc::io, "cannot remove " + std::string(path), EACCES));
  }
  --(*node)->status.links;
  nodes_.erase(nodes_.find(path));
  return {};
}

Result<Replaced> FakeFiles::write(std::string_view path, std::string_view bytes,
                                  const std::optional<ContentId>& expected, std::uint32_t mode) {
  const std::lock_guard lock(mutex_);
  if (auto good = begin_operation(); !good) return std::unexpected(good.error());
  if (auto good = check_path(path); !good) return std::unexpected(good.error());
  if (goes_through_link(path)) return std::unexpected(changed_meanwhile(path));
  const NodePtr old = find(path);
  if (old && old->status.kind != FileKind::regular) {
    return std::unexpected(not_a_regular_file(path, old->status.kind));
  }
  if (denied_.contains(path)) {
    return std::unexpected(system_error(Errc::io, "cannot write " + std::string(path), EACCES));
  }
  if (old && !expected) return std::unexpected(already_exists(path));
  if (expected && (!old || content_hash(old->text) != expected->hash)) {
    return std::unexpected(changed_meanwhile(path));
  }
  if (disk_full_) return std::unexpected(disk_full(path));

  if (old && old->status.links > 1) {
    old->text = bytes;
    old->status.size = bytes.size();
    old->status.modified_ns = time_ns_ += kTickNs;
    return Replaced{old->status, "it has other hard links"};
  }
  return Replaced{put_node(path, FileKind::regular, bytes, old ? old->status.mode : mode)->status, {}};
}

Result<void> FakeFiles::begin_operation() {
  const auto failure = failures_.find(++operations_);
  if (failure != failures_.end()) return std::unexpected(failure->second);
  return {};
}

FakeFiles::NodePtr FakeFiles::find(std::string_view path) const {
  const auto found = nodes_.find(path);
  return found == nodes_.end() ? nullptr : found->second;
}

FakeFiles::NodePtr FakeFiles::put_node(std::string_view path, FileKind kind, std::string_view text,
                                       std::uint32_t mode) {
  make_folders_above(path);
  auto node = std::make_shared<Node>();
  node->text = text;
  node->status = {.kind = kind,
                  .size = text.size(),
                  .modified_ns = time_ns_ += kTickNs,
                  .mode = mode,
                  .links = 1,
                  .device = 1,
                  .inode = ++inodes_};
  nodes_.insert_or_assign(std::string(path), node);
  return node;
}

void FakeFiles::make_folders_above(std::string_view path) {
  const std::string_view folder = parent_path(path);
  if (folder != "/" && !find(folder)) put_node(folder, FileKind::directory, "", 0755);
}

bool FakeFiles::goes_through_link(std::string_view path) const {
  for (std::string_view folder = parent_path(path); folder != "/"; folder = parent_path(folder)) {
    const NodePtr node = find(folder);
    if (node && node->status.kind == FileKind::symlink) return true;
  }
  return false;
}

Result<FakeFiles::NodePtr> FakeFiles::regular_file(std::string_view path) const {
  if (auto good = check_path(path); !good) return std::unexpected(good.error());
  if (goes_through_link(path)) return std::unexpected(changed_meanwhile(path));
  const NodePtr node = find(path);
  if (!node) return std::unexpected(no_such_file(path));
  if (node->status.kind != FileKind::regular) return std::unexpected(not_a_regular_file(path, node->status.kind));
  return node;
}

}  // namespace deft
