#include "deft/os/file_changes.h"

namespace deft {

namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 30;

// Nothing: there is no file.
Result<std::optional<ContentId>> content_now(std::string_view path, Files& files) {
  const auto content = files.read(path, kFileBytesMax);
  if (content) return content_id(content->bytes);
  if (content.error().code == Errc::not_found) return std::nullopt;
  return std::unexpected(content.error());
}

bool is_same(const std::optional<ContentId>& a, const std::optional<ContentId>& b) {
  if (!a || !b) return !a && !b;
  return a->size == b->size && a->hash == b->hash;
}

Result<UndoneChange> restore(const FileChanges& changes, const RecordedChange& recorded, Files& files) {
  const FileChange& change = recorded.change;
  UndoneChange undone{.number = recorded.number, .path = change.path, .was_removed = !change.before};
  if (!recorded.has_before_image) {
    return fail(Errc::limit, "The content that " + change.path + " had before was not kept: it cannot be undone.");
  }
  if (undone.was_removed) {
    if (!change.after) return undone;
    if (auto removed = files.remove(change.path, *change.after); !removed) return std::unexpected(removed.error());
    return undone;
  }
  const auto bytes = changes.before_image(*change.before);
  if (!bytes) return std::unexpected(bytes.error());
  const auto replaced =
      change.after ? files.replace(change.path, *bytes, change.after) : files.create(change.path, *bytes, change.mode);
  if (!replaced) return std::unexpected(replaced.error());
  return undone;
}

}  // namespace

Result<UndoneChange> undo_last_change(FileChanges& changes, std::string_view path, Files& files) {
  const auto all = changes.all();
  if (!all) return std::unexpected(all.error());
  const auto now = content_now(path, files);
  if (!now) return std::unexpected(now.error());
  std::vector<std::uint64_t> done_with;
  for (auto recorded = all->rbegin(); recorded != all->rend(); ++recorded) {
    if (recorded->change.path != path || recorded->is_undone) continue;
    // One that never happened is done with as well: later it would look like somebody else's change.
    done_with.push_back(recorded->number);
    if (is_same(*now, recorded->change.after)) {
      auto undone = restore(changes, *recorded, files);
      if (!undone) return undone;
      for (const std::uint64_t number : done_with) {
        if (auto marked = changes.mark_undone(number); !marked) return std::unexpected(marked.error());
      }
      return undone;
    }
    const bool never_happened = is_same(*now, recorded->change.before);
    if (!never_happened) {
      return fail(Errc::stale, std::string(path) + " has been changed since by someone else: it is left as it is.");
    }
  }
  return fail(Errc::not_found, "No change of " + std::string(path) + " is left to be undone.");
}

}  // namespace deft
