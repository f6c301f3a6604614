#include "deft/agent/sweep_sessions.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "deft/os/unique_fd.h"
#include "deft/os/uuid.h"

namespace deft {
namespace {

constexpr std::size_t kFoldersLookedAtMax = 100'000;
constexpr std::string_view kRemoved = ".removed-";
constexpr std::string_view kFork = ".fork";
constexpr const char* kUsedByFork = "/used-by-fork";  // its time says when

bool is_own_folder(const std::string& path) {
  struct stat found{};
  return ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::geteuid();
}

bool is_older(int file, std::chrono::hours age, std::chrono::system_clock::time_point now) {
  struct stat status{};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink == 0) return false;
  return now - std::chrono::system_clock::from_time_t(status.st_mtim.tv_sec) >= age;
}

bool is_unfinished(std::string_view name) {
  return name.starts_with(kRemoved) || (name.starts_with('.') && name.ends_with(kFork));
}

UniqueFd journal_in(const std::string& folder) {
  return UniqueFd(::open((folder + "/journal.jsonl").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

// Whoever made it was killed before the journal's first byte.
void remove_if_never_begun(const std::string& folder, std::chrono::hours age,
                           std::chrono::system_clock::time_point now) {
  struct stat status{};
  const std::string_view name = std::string_view(folder).substr(folder.rfind('/') + 1);
  if (!(is_uuid(name) || is_unfinished(name)) || ::lstat(folder.c_str(), &status) != 0) return;
  if (now - std::chrono::system_clock::from_time_t(status.st_mtim.tv_sec) >= age) ::rmdir(folder.c_str());
}

bool is_wanted_by_fork(const std::string& folder, std::chrono::hours age, std::chrono::system_clock::time_point now) {
  const UniqueFd used(::open((folder + kUsedByFork).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return used && !is_older(used.get(), age, now);
}

}  // namespace

std::string name_of_unfinished_fork(std::string_view id) { return "." + std::string(id) + std::string(kFork); }

void note_use_by_fork(const std::string& folder) {
  if (!is_own_folder(folder) || !is_own_folder(folder + "/tool-results")) return;
  const UniqueFd used(::open((folder + kUsedByFork).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (used) ::futimens(used.get(), nullptr);
}

std::error_code remove_session_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  fs::path removed = folder;
  const std::string name = removed.filename();
  std::error_code ec;
  if (!name.starts_with(kRemoved)) {
    removed.replace_filename(std::string(kRemoved) + name);
    fs::remove_all(removed, ec);
    fs::rename(folder, removed, ec);
    if (ec) return ec;
  }
  std::vector<fs::path> others;
  for (fs::directory_iterator entry(removed, ec), end; !ec && entry != end; entry.increment(ec)) {
    if (entry->path().filename() != "journal.jsonl") others.push_back(entry->path());
  }
  for (const fs::path& path : others) {
    fs::remove_all(path, ec);
    if (ec) return ec;
  }
  fs::remove_all(removed, ec);
  return ec;
}

void remove_unfinished(const std::string& root) {
  std::error_code ec;
  std::size_t looked_at = 0;
  for (std::filesystem::directory_iterator entry(root, ec), end; !ec && entry != end; entry.increment(ec)) {
    if (++looked_at > kFoldersLookedAtMax) break;
    const std::string folder = entry->path();
    if (!is_unfinished(entry->path().filename().string()) || !is_own_folder(folder)) continue;
    const UniqueFd journal = journal_in(folder);
    if (!journal && errno == ENOENT) ::rmdir(folder.c_str());
    if (journal && ::flock(journal.get(), LOCK_EX | LOCK_NB) == 0) remove_session_folder(folder);
  }
}

SweptSessions sweep_sessions(const std::string& root, std::chrono::hours age, std::chrono::system_clock::time_point now,
                             std::chrono::steady_clock::duration patience) {
  SweptSessions swept;
  const auto until = std::chrono::steady_clock::now() + patience;
  std::error_code ec;
  std::size_t looked_at = 0;
  for (std::filesystem::directory_iterator entry(root, ec), end; !ec && entry != end; entry.increment(ec)) {
    if (++looked_at > kFoldersLookedAtMax) break;
    const std::string folder = entry->path();
    if (!is_own_folder(folder)) continue;
    const UniqueFd journal = journal_in(folder);
    if (!journal && errno == ENOENT) remove_if_never_begun(folder, age, now);
    const bool is_kept = !is_unfinished(entry->path().filename().string());
    if (!journal || (is_kept && (!is_older(journal.get(), age, now) || is_wanted_by_fork(folder, age, now)))) continue;
    swept.is_complete = std::chrono::steady_clock::now() < until;
    if (!swept.is_complete) break;
    if (::flock(journal.get(), LOCK_EX | LOCK_NB) != 0) continue;  // it is in use
    if (is_kept && !is_older(journal.get(), age, now)) continue;   // it was, until we had the lock
    if (!remove_session_folder(folder)) swept.removed.push_back(entry->path().filename());
  }
  return swept;
}

}  // namespace deft
