#include "deft/agent/session_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "deft/agent/journal_reader.h"
#include "deft/agent/session.h"
#include "deft/agent/sweep_sessions.h"
#include "deft/os/file_descriptor.h"
#include "deft/os/private_folder.h"
#include "deft/os/uuid.h"

namespace deft {
namespace {

constexpr std::size_t kJournalBeginningBytesMax = 65'536;
constexpr std::size_t kCopiedBytes = std::size_t{256} << 10;  // at once

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  return out;
}

bool could_begin_an_id(std::string_view text) {
  return text.size() >= kSessionPrefixCharactersMin &&
         text.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

// What a fork needs beside the conversation: to undo what was changed before it, and to go on with subagents. Old
// contents never change, so both have the same; results that were stored stay where the conversation says that they
// are.
Result<void> take_along(const std::string& from, const std::string& to) {
  namespace fs = std::filesystem;
  std::error_code ec;
  if (fs::is_regular_file(fs::symlink_status(from + "/changes.jsonl", ec))) {
    fs::copy_file(from + "/changes.jsonl", to + "/changes.jsonl", ec);
    if (ec) return fail(Errc::io, "cannot copy " + from + "/changes.jsonl: " + ec.message());
  }
  for (const auto& [name, is_shared] : {std::pair("/before", true), std::pair("/subagents", false)}) {
    if (!fs::is_directory(fs::symlink_status(from + name, ec))) continue;
    if (auto made = make_private_folders(to + name); !made) return made;
    for (fs::directory_iterator entry(from + name, ec), end; !ec && entry != end; entry.increment(ec)) {
      if (!fs::is_regular_file(entry->symlink_status(ec))) continue;
      const fs::path copy = fs::path(to + name) / entry->path().filename();
      if (is_shared) fs::create_hard_link(entry->path(), copy, ec);
      if (!is_shared || ec) fs::copy_file(entry->path(), copy, ec);
      if (ec) return fail(Errc::io, "cannot copy " + entry->path().string() + ": " + ec.message());
    }
  }
  return {};
}

// Whoever made the folder was killed before the journal's first line: there is nothing in it that could be lost.
bool was_never_begun(const SessionPlace& place) {
  const UniqueFd journal(::open(place.journal().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!journal) return errno == ENOENT;
  const auto content = read_regular_file(journal.get(), place.journal(), kJournalBeginningBytesMax);
  return content && deft::was_never_begun(content->bytes);
}

}  // namespace

std::string SessionStore::default_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state && *state == '/') return std::string(state) + "/deft/sessions";
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.local/state/deft/sessions" : "";
}

Result<SessionPlace> SessionStore::make(const std::optional<std::string>& id) const {
  if (folder_.empty()) return fail(Errc::not_found, "Neither HOME nor XDG_STATE_HOME says where sessions are kept.");
  if (id && !is_uuid(*id))
    return fail(Errc::invalid_input, "The id of a session must be a UUID, not " + json_quote(*id));
  if (auto made = make_private_folders(folder_); !made) return std::unexpected(made.error());
  SessionPlace place{.id = id ? lower_case(*id) : random_uuid()};
  place.folder = folder_ + "/" + place.id;
  if (::mkdir(place.folder.c_str(), 0700) == 0) return place;
  const int error = errno;
  if (error != EEXIST) return std::unexpected(system_error(Errc::io, "cannot create " + place.folder, error));
  if (was_never_begun(place)) return place;
  return fail(Errc::duplicate_id, "There is a session " + place.id + " already.");
}

Result<SessionPlace> SessionStore::create(const std::string& directory, const Clock& clock,
                                          const std::optional<std::string>& id) const {
  auto place = make(id);
  if (!place) return place;
  const auto journal = Journal::open(place->folder, clock, {.session_id = place->id, .directory = directory});
  if (!journal) return std::unexpected(journal.error());
  return place;
}

Result<SessionPlace> SessionStore::fork(const SessionPlace& from, const Clock& clock,
                                        const std::optional<std::string>& id) const {
  auto place = make(id);
  if (!place) return place;
  // Nobody takes it for a session before all of it is there.
  const std::string unfinished = folder_ + "/" + name_of_unfinished_fork(place->id);
  std::error_code ignored;
  std::filesystem::remove_all(unfinished, ignored);
  auto copied = copy(from, {.id = place->id, .folder = unfinished}, clock);
  if (copied && was_never_begun(*place)) ::unlink(place->journal().c_str());
  if (copied && ::rename(unfinished.c_str(), place->folder.c_str()) == 0) return place;
  const Error error =
      copied ? system_error(Errc::io, "cannot create " + place->folder, errno) : std::move(copied.error());
  std::filesystem::remove_all(unfinished, ignored);
  ::rmdir(place->folder.c_str());
  return std::unexpected(error);
}

Result<Journal> SessionStore::copy(const SessionPlace& from, const SessionPlace& to, const Clock& clock) {
  const auto opening = read_journal_opening(from.journal());
  if (!opening) return std::unexpected(opening.error());
  auto journal = Journal::open(to.folder, clock,
                               {.session_id = to.id, .directory = opening->header.directory, .forked_from = from.id});
  if (!journal) return std::unexpected(journal.error());
  Result<void> copied;
  std::string lines;
  const auto write_lines = [&] {
    if (copied && !lines.empty()) copied = journal->append_lines(lines);
    lines.clear();
  };
  const auto read = read_journal_lines(from.journal(), [&](std::string_view line) {
    lines.append(line).append("\n");
    if (lines.size() >= kCopiedBytes) write_lines();
  });
  if (!read) return std::unexpected(read.error());
  write_lines();
  if (copied) copied = take_along(from.folder, to.folder);
  if (!copied) return std::unexpected(copied.error());
  return journal;
}

Result<SessionPlace> SessionStore::find(std::string_view name) const {
  const std::string id = lower_case(name);
  const auto sessions = list();
  if (!sessions) return std::unexpected(sessions.error());
  std::vector<SessionPlace> found;
  for (const Entry& entry : *sessions) {
    if (entry.place.id == id) return entry.place;
    if (could_begin_an_id(id) && entry.place.id.starts_with(id)) found.push_back(entry.place);
  }
  if (found.size() > 1) return several_sessions(name, found);
  if (found.size() == 1) return found.front();
  return fail(Errc::not_found, "There is no session " + json_quote(name) + ".");
}

std::unexpected<Error> several_sessions(std::string_view name, const std::vector<SessionPlace>& found) {
  return fail(Errc::invalid_input, "Several sessions are meant by " + json_quote(name) + ": " + found[0].id + ", " +
                                       found[1].id + (found.size() > 2 ? " …" : "") + "; give more of the id.");
}

Result<void> SessionStore::remove(const SessionPlace& place) const {
  const SystemClock clock;
  const auto journal = Journal::open(place.folder, clock);
  if (!journal && journal.error().code == Errc::denied) return std::unexpected(journal.error());
  if (const std::error_code ec = remove_session_folder(place.folder)) {
    return fail(Errc::io, "cannot remove " + place.folder + ": " + ec.message());
  }
  return {};
}

Result<SessionPlace> SessionStore::latest(std::string_view directory) const {
  auto sessions = list();
  if (!sessions) return std::unexpected(sessions.error());
  for (Entry& entry : *sessions) {
    const auto opening = read_journal_opening(entry.place.journal());
    // One that ended before its first prompt is none that anybody could mean.
    const bool is_of_it = opening && opening->header.directory == directory;
    if (is_of_it && has_prompt(entry.place.journal())) return std::move(entry.place);
  }
  return fail(Errc::not_found, "There is no session of " + std::string(directory) + " yet.");
}

Result<std::vector<SessionStore::Entry>> SessionStore::list() const {
  std::vector<Entry> entries;
  const UniqueFd fd(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd && (errno == ENOENT || errno == ENOTDIR)) return entries;
  const DirectoryStream directory = fd ? open_directory_stream(fd.get()) : nullptr;
  if (!directory) return std::unexpected(system_error(Errc::io, "cannot read " + folder_, errno));
  while (const dirent* found = ::readdir(directory.get())) {
    if (!is_uuid(found->d_name) || entries.size() == kSessionsMax) continue;
    struct stat status{};
    const std::string journal = std::string(found->d_name) + "/" + std::string(kJournalFile);
    if (::fstatat(fd.get(), journal.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    entries.push_back({.place = {.id = found->d_name, .folder = folder_ + "/" + found->d_name},
                       .used_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec,
                       .bytes = status.st_size});
  }
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return a.used_ns != b.used_ns ? a.used_ns > b.used_ns : a.place.id < b.place.id;
  });
  return entries;
}

}  // namespace deft
