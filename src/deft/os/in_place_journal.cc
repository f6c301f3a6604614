#include "deft/os/in_place_journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "deft/base/content_hash.h"
#include "deft/base/path.h"
#include "deft/os/file_descriptor.h"
#include "deft/os/open_without_links.h"

namespace deft {

namespace {

constexpr std::string_view kKind = "deft journal 1 ";
constexpr std::size_t kHashCharacters = 64;
constexpr std::size_t kNameCharacters = 32;
constexpr std::size_t kJournalBytesMax = std::size_t{1} << 30;
constexpr std::size_t kJournalsMax = 1'000;

// Private, whoever made it: what lies there is believed.
Result<UniqueFd> open_private_folder(const std::string& folder, bool sync) {
  const bool is_new = ::mkdir(folder.c_str(), 0700) == 0;
  const bool is_there = is_new ? !sync || sync_folders_up_from(parent_path(folder)) : errno == EEXIST;
  if (!is_there) return std::unexpected(system_error(Errc::io, "cannot create " + folder, errno));
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat found{};
  if (!fd || ::fstat(fd.get(), &found) != 0) {
    return std::unexpected(system_error(Errc::io, "cannot open " + folder, errno));
  }
  if (found.st_uid != ::geteuid() || (found.st_mode & 077) != 0) {
    return fail(Errc::io, folder + " is not private: remove it, or make it so");
  }
  return fd;
}

// "deft journal 1 PATH_SIZE OLD_SIZE NEW_SIZE\n", the three, and the hash of all that.
std::string journal_text(std::string_view path, std::string_view old_bytes, std::string_view new_bytes) {
  std::string text(kKind);
  text += std::to_string(path.size()) + " " + std::to_string(old_bytes.size()) + " " + std::to_string(new_bytes.size());
  text += '\n';
  text.append(path).append(old_bytes).append(new_bytes);
  return text + content_hash(text);
}

struct JournalEntry {
  std::string path;
  std::string old_bytes;
  std::string new_bytes;
};

// Nothing: it was not finished, so the file was not touched yet.
std::optional<JournalEntry> parse_journal(std::string_view text) {
  if (!text.starts_with(kKind) || text.size() < kHashCharacters) return std::nullopt;
  const std::string_view hashed = text.substr(0, text.size() - kHashCharacters);
  if (content_hash(hashed) != text.substr(hashed.size())) return std::nullopt;
  std::size_t sizes[3] = {};
  const char* at = hashed.data() + kKind.size();
  const char* end = hashed.data() + hashed.size();
  for (std::size_t& size : sizes) {
    const auto parsed = std::from_chars(at, end, size);
    if (parsed.ec != std::errc{} || parsed.ptr == end) return std::nullopt;
    at = parsed.ptr + 1;
  }
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  if (sizes[0] + sizes[1] + sizes[2] != rest.size()) return std::nullopt;
  return JournalEntry{std::string(rest.substr(0, sizes[0])), std::string(rest.substr(sizes[0], sizes[1])),
                      std::string(rest.substr(sizes[0] + sizes[1]))};
}

bool has_name(int file, const std::string& path) {
  struct stat opened{};
  struct stat named{};
  return ::fstat(file, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

enum class Restored { yes, not_needed, not_yet };

Restored restore(const JournalEntry& entry) {
  const UniqueFd file = open_without_links(entry.path, O_RDWR | O_NONBLOCK);
  if (!file) return Restored::not_needed;
  const auto now = read_regular_file(file.get(), entry.path, kJournalBytesMax);
  if (!now || !is_half_written(now->bytes, entry.old_bytes, entry.new_bytes)) return Restored::not_needed;
  const bool is_back = write_all(file.get(), entry.old_bytes) &&
                       ::ftruncate(file.get(), static_cast<off_t>(entry.old_bytes.size())) == 0 &&
                       sync_data(file.get());
  return is_back ? Restored::yes : Restored::not_yet;
}

void recover_one(int folder, const std::string& name, std::vector<std::string>& restored) {
  const UniqueFd journal(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!journal || ::flock(journal.get(), LOCK_EX | LOCK_NB) != 0) return;  // its writer lives
  const auto text = read_regular_file(journal.get(), name, kJournalBytesMax);
  if (!text) return;
  const auto entry = parse_journal(text->bytes);
  const Restored is_back = entry ? restore(*entry) : Restored::not_needed;
  if (is_back == Restored::yes) restored.push_back(entry->path);
  if (is_back != Restored::not_yet) ::unlinkat(folder, name.c_str(), 0);  // the disk may have room another time
}

}  // namespace

Result<InPlaceJournal> InPlaceJournal::begin(const std::string& folder, std::string_view path,
                                             std::string_view old_bytes, std::string_view new_bytes, bool sync) {
  const auto place = open_private_folder(folder, sync);
  if (!place) return std::unexpected(place.error());
  const std::string journal = folder + "/" + content_hash(path).substr(0, kNameCharacters);
  UniqueFd file(::open(journal.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return std::unexpected(system_error(Errc::io, "cannot create " + journal, errno));
  // One that has lost its name meanwhile was another writer's, which has ended.
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 || !has_name(file.get(), journal)) {
    return fail(Errc::stale,
                std::string(path) + " is being written by another process: read it again, then try again.");
  }
  InPlaceJournal begun(journal, std::move(file));
  const std::string text = journal_text(path, old_bytes, new_bytes);
  const int fd = begun.file_.get();
  if (::ftruncate(fd, 0) != 0 || !write_all(fd, text) || (sync && !(sync_data(fd) && sync_data(place->get())))) {
    const Error error = write_error(path, errno);
    begun.end();
    return std::unexpected(error);
  }
  return begun;
}

void InPlaceJournal::end() {
  ::unlink(path_.c_str());
  file_.reset();
}

std::string user_journal_folder() { return "/tmp/deft-in-place-" + std::to_string(::geteuid()); }

std::vector<std::string> recover_in_place_writes(const std::string& folder) {
  std::vector<std::string> restored;
  if (::access(folder.c_str(), F_OK) != 0) return restored;
  const auto place = open_private_folder(folder, /*sync=*/false);
  const DirectoryStream directory = place ? open_directory_stream(place->get()) : nullptr;
  std::vector<std::string> names;
  while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr) {
    if (entry->d_name[0] != '.' && names.size() < kJournalsMax) names.emplace_back(entry->d_name);
  }
  for (const std::string& name : names) recover_one(place->get(), name, restored);
  return restored;
}

bool is_half_written(std::string_view now, std::string_view old_bytes, std::string_view new_bytes) {
  if (now == old_bytes || now == new_bytes) return false;
  const auto [differs, ignored] = std::mismatch(now.begin(), now.end(), new_bytes.begin(), new_bytes.end());
  const auto same = static_cast<std::size_t>(differs - now.begin());
  // Bytes are written from the beginning; a longer file grows, a shorter one is cut at the end.
  if (now.size() == old_bytes.size()) return now.substr(same) == old_bytes.substr(same);
  return now.size() > old_bytes.size() && same == now.size();
}

}  // namespace deft
