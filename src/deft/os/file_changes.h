#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/os/files.h"
#include "deft/os/survives.h"

// What a session has changed in files, so that it can be undone. In the session's folder, private to its user:
//   changes.jsonl  a line for each change, written before the file changes: a kill at any moment loses none (and
//                  neither does a power cut, where that is to be survived: both are on the disk by then)
//   before/HASH    the content that a file had, named by its content_hash(); the same content is kept once
// Whether a change that was recorded really happened is told by the content of the file: see undo_last_change().

namespace deft {

inline constexpr int kChangesVersion = 1;
inline constexpr std::size_t kBeforeImagesBytesMax = std::size_t{256} << 20;  // of one session
inline constexpr std::size_t kChangesFileBytesMax = std::size_t{64} << 20;

struct FileOwner {
  std::uint32_t user = 0;
  std::uint32_t group = 0;

  bool operator==(const FileOwner&) const = default;
};

struct FileChange {
  std::string path;                 // canonical
  std::optional<ContentId> before;  // nothing: there was no file
  std::optional<ContentId> after;   // nothing: the file is removed
  std::uint32_t mode = 0;           // before
  std::string call_id;
  std::optional<FileOwner> owner = std::nullopt;  // of a file that is removed; keep() finds it
  std::string folder_made = {};  // of a new file: the topmost folder that is not there either; keep() finds it
};

struct RecordedChange {
  std::uint64_t number = 0;  // counted from 1, in the order of the lines
  FileChange change;
  bool has_before_image = false;  // else it cannot be undone
  bool is_undone = false;
};

// The changes of one session. Any thread may call.
class FileChanges {
 public:
  explicit FileChanges(std::string session_folder, std::size_t bytes_max = kBeforeImagesBytesMax,
                       Survives survives = Survives::killed);

  // To be called before the change. Empty, or why the change cannot be undone later (then it may go on all the same):
  // "the session keeps at most …".
  std::string keep(const FileChange& change, std::string_view before_bytes);

  // All that is recorded, oldest first. Lines that cannot be read are left out.
  Result<std::vector<RecordedChange>> all() const;
  Result<std::string> before_image(const ContentId& id) const;
  Result<void> mark_undone(std::uint64_t number);

 private:
  // All under mutex_.
  Result<void> open_folder();
  Result<void> put_image(const ContentId& id, std::string_view bytes);
  Result<void> append(std::string line);
  std::string image_path(const ContentId& id) const { return images_ + "/" + id.hash; }

  bool waits_for_disk() const { return survives_ == Survives::power_cut; }

  const std::string file_;
  const std::string images_;
  const std::size_t bytes_max_;
  const Survives survives_;
  mutable std::mutex mutex_;
  bool is_open_ = false;
  bool are_names_on_disk_ = false;
  std::size_t bytes_kept_ = 0;
  std::uint64_t last_number_ = 0;
};

// Gives a file that was made anew the owner that it had, and with it the whole of its mode: a new file is never given
// all of that, and a change of the owner clears a part. Where we may not, it stays as it is.
void give_back_owner(std::string_view path, const FileOwner& owner, std::uint32_t mode);

// Removes a folder and those above it, up to `topmost`, as long as they are empty. Nothing if that is empty.
void remove_empty_folders(std::string_view folder, std::string_view topmost);

struct UndoneChange {
  std::uint64_t number = 0;
  std::string path;
  bool was_removed = false;  // the change had created the file, and undoing it removed it
};
// Gives a file the content that it had before its last change that is not undone yet, provided that it still has the
// content that the change gave it. A change that was recorded but never made is passed over. Errors: `not_found` if the
// session did not change it; `stale` if somebody else has changed it since; `limit` if its old content was not kept.
Result<UndoneChange> undo_last_change(FileChanges& changes, std::string_view path, Files& files);

}  // namespace deft
