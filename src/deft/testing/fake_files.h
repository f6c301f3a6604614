#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "deft/os/files.h"

namespace deft {

// A disk in memory, with faults on demand. Keeps the promises of Files, and says what it was asked to do.
class FakeFiles final : public Files {
 public:
  FakeFiles() { put_folder("/"); }

  // Setting the stage: folders above are made, what is there is replaced.
  void put(std::string_view path, std::string_view bytes, std::uint32_t mode = 0644);
  void put_folder(std::string_view path);
  void put_link(std::string_view path, std::string_view target);
  void put_hard_link(std::string_view path, std::string_view existing);
  void put_special(std::string_view path, FileKind kind);
  void touch(std::string_view path);  // another time, the same content
  void take_away(std::string_view path);
  std::optional<std::string> bytes(std::string_view path) const;

  // Faults.
  void set_disk_full(bool full);
  void deny(std::string_view path);                 // permission to read and to write it
  void fail_operation(std::size_t n, Error error);  // the n-th from now, counted from 1
  std::size_t operations() const;

  Result<std::string> canonical(std::string_view path) override;
  Result<FileStatus> status(std::string_view path) override;
  Result<FileContent> read_at_hand(std::string_view path, std::size_t bytes_max) override {
    return read(path, bytes_max);
  }
  Result<FileContent> read(std::string_view path, std::size_t bytes_max) override;
  Result<std::vector<std::string>> list(std::string_view folder, std::size_t entries_max) override;
  Result<Replaced> replace(std::string_view path, std::string_view bytes,
                           const std::optional<ContentId>& expected) override;
  Result<Replaced> create(std::string_view path, std::string_view bytes, std::uint32_t mode) override;
  Result<void> remove(std::string_view path, const ContentId& expected) override;

 private:
  struct Node {  // shared by its hard links
    FileStatus status;
    std::string text;  // content, or where a link points
  };
  using NodePtr = std::shared_ptr<Node>;

  // All of these under mutex_.
  Result<void> begin_operation();
  NodePtr find(std::string_view path) const;
  NodePtr put_node(std::string_view path, FileKind kind, std::string_view text, std::uint32_t mode);
  void make_folders_above(std::string_view path);
  Result<Replaced> write(std::string_view path, std::string_view bytes, const std::optional<ContentId>& expected,
                         std::uint32_t mode);
  bool goes_through_link(std::string_view path) const;
  Result<NodePtr> regular_file(std::string_view path) const;

  mutable std::mutex mutex_;
  std::map<std::string, NodePtr, std::less<>> nodes_;
  std::set<std::string, std::less<>> denied_;
  std::map<std::size_t, Error> failures_;
  bool disk_full_ = false;
  std::size_t operations_ = 0;
  std::int64_t time_ns_ = 1'000'000'000;
  std::uint64_t inodes_ = 0;
};

}  // namespace deft
