#include "deft/core/session_state.h"

namespace deft {

void SessionState::apply(const Modifier& modifier) {
  if (const auto* moved = std::get_if<WorkingDirectoryChanged>(&modifier)) working_directory = moved->path;
  if (const auto* file = std::get_if<FileWasSeen>(&modifier)) files.record(file->seen);
}

std::string_view SessionView::working_directory() const {
  for (auto modifier = pending_.rbegin(); modifier != pending_.rend(); ++modifier) {
    if (const auto* moved = std::get_if<WorkingDirectoryChanged>(&*modifier)) return moved->path;
  }
  return state_->working_directory;
}

std::optional<FileSeen> SessionView::file_seen(std::string_view path) const {
  std::optional<FileSeen> seen;
  if (const FileSeen* before = state_->files.find(path)) seen = *before;
  for (const Modifier& modifier : pending_) {
    const auto* file = std::get_if<FileWasSeen>(&modifier);
    if (!file || file->seen.path != path) continue;
    seen = seen ? merge_seen(*seen, file->seen) : file->seen;
  }
  return seen;
}

}  // namespace deft
