#include "deft/core/session_state.h"

#include <algorithm>

namespace deft {
namespace {

// The first of them is where the session works as a whole.
void move(std::vector<std::string>& directories, std::optional<WorktreeStay>& worktree, const WorktreeChanged& change) {
  const std::string from = worktree ? worktree->from : directories.empty() ? "" : directories.front();
  const std::string& to = change.stay ? change.stay->path : from;
  if (directories.empty()) {
    directories.push_back(to);
  } else {
    directories.front() = to;
  }
  worktree = change.stay;
}

}  // namespace

void SessionState::apply(const Modifier& modifier) {
  if (const auto* moved = std::get_if<WorkingDirectoryChanged>(&modifier)) working_directory = moved->path;
  if (const auto* file = std::get_if<FileWasSeen>(&modifier)) files.record(file->seen);
  if (const auto* looked = std::get_if<FileWasLookedAt>(&modifier)) files.looked_at(looked->path, looked->modified_ns);
  if (const auto* change = std::get_if<ModeChanged>(&modifier)) mode.apply(*change);
  if (const auto* replaced = std::get_if<TodosReplaced>(&modifier)) todos = replaced->todos;
  if (const auto* more = std::get_if<ToolsLoaded>(&modifier)) tools.apply(*more);
  if (const auto* grant = std::get_if<TurnGrant>(&modifier)) grants.push_back(*grant);
  if (const auto* granted = std::get_if<MeaningsGranted>(&modifier)) add_grants(meanings, granted->grants);
  if (const auto* moved = std::get_if<WorktreeChanged>(&modifier)) {
    move(directories, worktree, *moved);
    if (!directories.empty()) working_directory = directories.front();
  }
}

SessionView::SessionView(const SessionState& state, std::vector<Modifier> pending)
    : state_(&state), pending_(std::move(pending)), mode_(state.mode) {
  std::optional<WorktreeStay> worktree = state.worktree;
  for (const Modifier& modifier : pending_) {
    const auto* moved = std::get_if<WorktreeChanged>(&modifier);
    if (!moved) continue;
    if (!directories_) directories_ = state.directories;
    move(*directories_, worktree, *moved);
  }
}

std::vector<TurnGrant> SessionView::grants() const {
  std::vector<TurnGrant> grants = state_->grants;
  for (const Modifier& modifier : pending_) {
    if (const auto* grant = std::get_if<TurnGrant>(&modifier)) grants.push_back(*grant);
  }
  return grants;
}

std::vector<MeaningGrant> SessionView::meanings() const {
  std::vector<MeaningGrant> meanings = state_->meanings;
  for (const Modifier& modifier : pending_) {
    if (const auto* granted = std::get_if<MeaningsGranted>(&modifier)) add_grants(meanings, granted->grants);
  }
  return meanings;
}

std::optional<WorktreeStay> SessionView::worktree() const {
  for (auto modifier = pending_.rbegin(); modifier != pending_.rend(); ++modifier) {
    if (const auto* moved = std::get_if<WorktreeChanged>(&*modifier)) return moved->stay;
  }
  return state_->worktree;
}

std::string_view SessionView::working_directory() const {
  for (auto modifier = pending_.rbegin(); modifier != pending_.rend(); ++modifier) {
    if (const auto* moved = std::get_if<WorkingDirectoryChanged>(&*modifier)) return moved->path;
    if (std::holds_alternative<WorktreeChanged>(*modifier)) return directories().front();
  }
  return state_->working_directory;
}

const TodoList& SessionView::todos() const {
  for (auto modifier = pending_.rbegin(); modifier != pending_.rend(); ++modifier) {
    if (const auto* replaced = std::get_if<TodosReplaced>(&*modifier)) return replaced->todos;
  }
  return state_->todos;
}

ModeMemory SessionView::mode_memory() const {
  ModeMemory memory = mode_;
  for (const Modifier& modifier : pending_) {
    if (const auto* change = std::get_if<ModeChanged>(&modifier)) memory.apply(*change);
  }
  return memory;
}

bool SessionView::has_loaded_tool(std::string_view name) const {
  if (state_->tools.has_loaded(name)) return true;
  return std::ranges::any_of(pending_, [&](const Modifier& modifier) {
    const auto* more = std::get_if<ToolsLoaded>(&modifier);
    return more && std::ranges::find(more->names, name) != more->names.end();
  });
}

std::optional<FileSeen> SessionView::file_seen(std::string_view path) const {
  std::optional<FileSeen> seen;
  if (const FileSeen* before = state_->files.find(path)) seen = *before;
  for (const Modifier& modifier : pending_) {
    const auto* looked = std::get_if<FileWasLookedAt>(&modifier);
    if (looked && looked->path == path && seen) seen->looked_at_ns = looked->modified_ns;
    const auto* file = std::get_if<FileWasSeen>(&modifier);
    if (!file || file->seen.path != path) continue;
    seen = seen ? merge_seen(*seen, file->seen) : file->seen;
  }
  return seen;
}

std::vector<std::string> SessionView::files_seen() const {
  std::vector<std::string> paths;
  for (const auto& [path, seen] : state_->files.all()) paths.push_back(path);
  for (const Modifier& modifier : pending_) {
    if (const auto* file = std::get_if<FileWasSeen>(&modifier)) paths.push_back(file->seen.path);
  }
  std::ranges::sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  return paths;
}

}  // namespace deft
