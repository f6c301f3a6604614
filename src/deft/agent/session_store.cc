#include "deft/agent/session_store.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "deft/agent/journal_reader.h"
#include "deft/agent/session.h"
#include "deft/os/file_descriptor.h"
#include "deft/os/private_folder.h"
#include "deft/os/uuid.h"

namespace deft {
namespace {

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  return out;
}

bool could_begin_an_id(std::string_view text) {
  return text.size() >= kSessionPrefixCharactersMin &&
         text.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

std::string title_of(const std::string& journal) {
  std::string title;
  static_cast<void>(read_journal(journal, [&](std::string_view type, const Json& entry) {
    if (type != "state" || find_string(entry, "key") != "title") return;
    title = std::string(find_string(entry, "value").value_or(""));
  }));
  return title;
}

// Whoever made the folder was killed before the journal's first line: there is nothing in it that could be lost.
bool was_never_begun(const SessionPlace& place) {
  struct stat journal{};
  if (::lstat(place.journal().c_str(), &journal) != 0) return errno == ENOENT;
  return S_ISREG(journal.st_mode) && journal.st_size == 0;
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
  const auto opening = read_journal_opening(from.journal());
  if (!opening) return std::unexpected(opening.error());
  auto place = make(id);
  if (!place) return place;
  auto journal = Journal::open(
      place->folder, clock, {.session_id = place->id, .directory = opening->header.directory, .forked_from = from.id});
  if (!journal) return std::unexpected(journal.error());
  Result<void> copied;
  const auto read = read_journal_lines(from.journal(), [&](std::string_view line) {
    if (copied) copied = journal->append_line(line);
  });
  if (!read) return std::unexpected(read.error());
  if (!copied) return std::unexpected(copied.error());
  return place;
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
  if (found.empty()) {
    for (const Entry& entry : *sessions) {
      if (title_of(entry.place.journal()) == name) found.push_back(entry.place);
    }
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) return fail(Errc::not_found, "There is no session " + json_quote(name) + ".");
  return fail(Errc::invalid_input, "Several sessions are meant by " + json_quote(name) + ": " + found[0].id + ", " +
                                       found[1].id + (found.size() > 2 ? " …" : "") + "; give more of the id.");
}

Result<void> SessionStore::remove(const SessionPlace& place) const {
  const SystemClock clock;
  const auto journal = Journal::open(place.folder, clock);
  if (!journal && journal.error().code == Errc::denied) return std::unexpected(journal.error());
  std::error_code ec;
  std::filesystem::remove_all(place.folder, ec);
  if (ec) return fail(Errc::io, "cannot remove " + place.folder + ": " + ec.message());
  return {};
}

Result<SessionPlace> SessionStore::latest(std::string_view directory) const {
  auto sessions = list();
  if (!sessions) return std::unexpected(sessions.error());
  for (Entry& entry : *sessions) {
    const auto opening = read_journal_opening(entry.place.journal());
    if (opening && opening->header.directory == directory) return std::move(entry.place);
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
