#include "deft/os/file_changes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "deft/base/base64.h"
#include "deft/base/json.h"
#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/os/file_descriptor.h"
#include "deft/os/missing_folder.h"
#include "deft/os/open_without_links.h"
#include "deft/os/unique_fd.h"

namespace deft {

namespace {

constexpr mode_t kModeBits = 07777;
constexpr std::size_t kHashCharacters = 64;
constexpr std::string_view kUnfinished = ".part";

JsonObject content_json(const ContentId& id) { return {{"size", id.size}, {"hash", id.hash}}; }

std::optional<ContentId> content_of(const Json& json) {
  const auto size = find_int(json, "size");
  const auto hash = find_string(json, "hash");
  const bool is_hash =
      hash && hash->size() == kHashCharacters && hash->find_first_not_of("0123456789abcdef") == std::string_view::npos;
  // The name becomes a path: nothing but a hash may get there.
  if (!size || *size < 0 || !is_hash) return std::nullopt;
  return ContentId{static_cast<std::uint64_t>(*size), std::string(*hash)};
}

// Every other change keeps it.
std::optional<FileOwner> owner_to_remember(const FileChange& change) {
  struct stat found{};
  if (change.after || !change.before || ::lstat(change.path.c_str(), &found) != 0) return std::nullopt;
  return FileOwner{.user = found.st_uid, .group = found.st_gid};
}

std::string line_of(std::uint64_t number, const FileChange& change, bool has_before_image) {
  JsonObject line = {{"type", "change"}, {"version", kChangesVersion}, {"number", number}};
  // JSON is UTF-8, names of files need not be.
  if (is_utf8(change.path)) {
    line["path"] = change.path;
  } else {
    line["path_base64"] = to_base64(change.path);
  }
  line["before"] = change.before ? Json(content_json(*change.before)) : Json(nullptr);
  line["after"] = change.after ? Json(content_json(*change.after)) : Json(nullptr);
  line["mode"] = change.mode;
  if (const auto owner = owner_to_remember(change)) {
    line["owner"] = JsonObject{{"user", owner->user}, {"group", owner->group}};
  }
  line["call"] = change.call_id;
  line["kept"] = has_before_image;
  if (const std::string folder = change.before ? "" : topmost_missing_folder(change.path); !folder.empty()) {
    line[is_utf8(folder) ? "folder" : "folder_base64"] = is_utf8(folder) ? folder : to_base64(folder);
  }
  return to_json(line);
}

std::optional<FileOwner> owner_of(const Json& line) {
  const Json* owner = find(line, "owner");
  const auto user = owner ? find_int(*owner, "user") : std::nullopt;
  const auto group = owner ? find_int(*owner, "group") : std::nullopt;
  if (!user || !group) return std::nullopt;
  return FileOwner{.user = static_cast<std::uint32_t>(*user), .group = static_cast<std::uint32_t>(*group)};
}

std::optional<RecordedChange> change_of(const Json& line) {
  RecordedChange recorded;
  const auto number = find_int(line, "number");
  const Json* before = find(line, "before");
  const Json* after = find(line, "after");
  const auto encoded = find_string(line, "path_base64");
  const auto path =
      encoded ? from_base64(*encoded) : std::optional<std::string>(find_string(line, "path").value_or(""));
  if (!number || *number <= 0 || !before || !after || !path || path->empty()) return std::nullopt;
  recorded.change.before = before->is_null() ? std::nullopt : content_of(*before);
  recorded.change.after = after->is_null() ? std::nullopt : content_of(*after);
  const bool is_broken =
      (!before->is_null() && !recorded.change.before) || (!after->is_null() && !recorded.change.after);
  if (is_broken) return std::nullopt;
  recorded.number = static_cast<std::uint64_t>(*number);
  recorded.change.path = *path;
  recorded.change.mode = static_cast<std::uint32_t>(find_int(line, "mode").value_or(0));
  recorded.change.owner = owner_of(line);
  recorded.change.call_id = find_string(line, "call").value_or("");
  recorded.has_before_image = find_bool(line, "kept").value_or(false);
  const auto folder = find_string(line, "folder_base64");
  recorded.change.folder_made =
      folder ? from_base64(*folder).value_or("") : std::string(find_string(line, "folder").value_or(""));
  return recorded;
}

void take_line(std::string_view text, std::vector<RecordedChange>& changes) {
  const auto line = parse_json(text);
  if (!line) return;
  if (find_string(*line, "type") == "change") {
    if (auto recorded = change_of(*line)) changes.push_back(std::move(*recorded));
  }
  if (find_string(*line, "type") != "undone") return;
  for (RecordedChange& change : changes) {
    const auto number = find_int(*line, "number").value_or(0);
    change.is_undone = change.is_undone || change.number == static_cast<std::uint64_t>(number);
  }
}

Result<std::string> read_private_file(const std::string& path, std::size_t bytes_max) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file && errno == ENOENT) return std::unexpected(no_such_file(path));
  if (!file) return std::unexpected(system_error(Errc::io, "cannot open " + path, errno));
  auto content = read_regular_file(file.get(), path, bytes_max);
  if (!content) return std::unexpected(content.error());
  return std::move(content->bytes);
}

Result<void> make_private_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return std::unexpected(system_error(Errc::io, "cannot create " + path, errno));
}

bool sync_names_in(std::string_view folder) {
  const UniqueFd opened(::open(std::string(folder).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  return opened && sync_folder(opened.get());
}

// What the images take; unfinished ones, left by a crash, are removed.
std::size_t measure_images(const std::string& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  const DirectoryStream directory = fd ? open_directory_stream(fd.get()) : nullptr;
  std::size_t bytes = 0;
  while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr) {
    struct stat found{};
    if (::fstatat(fd.get(), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(found.st_mode)) continue;
    if (std::string_view(entry->d_name).ends_with(kUnfinished)) {
      ::unlinkat(fd.get(), entry->d_name, 0);
    } else {
      bytes += static_cast<std::size_t>(found.st_size);
    }
  }
  return bytes;
}

// A line that a crash or a full disk has cut must not swallow the next one.
bool ends_in_the_middle_of_a_line(int file) {
  struct stat status{};
  char last = '\n';
  return ::fstat(file, &status) == 0 && status.st_size > 0 && ::pread(file, &last, 1, status.st_size - 1) == 1 &&
         last != '\n';
}

}  // namespace

FileChanges::FileChanges(std::string session_folder, std::size_t bytes_max, Survives survives)
    : file_(session_folder + "/changes.jsonl"),
      images_(session_folder + "/before"),
      bytes_max_(bytes_max),
      survives_(survives) {}

std::string FileChanges::keep(const FileChange& change, std::string_view before_bytes) {
  const std::lock_guard lock(mutex_);
  auto kept = open_folder();
  if (kept && change.before) kept = put_image(*change.before, before_bytes);
  const auto recorded = append(line_of(last_number_ + 1, change, kept.has_value()));
  if (!recorded) return recorded.error().message;
  ++last_number_;
  return kept ? "" : kept.error().message;
}

Result<void> FileChanges::open_folder() {
  if (is_open_) return {};
  if (auto made = make_private_folder(images_); !made) return made;
  bytes_kept_ = measure_images(images_);
  if (const auto text = read_private_file(file_, kChangesFileBytesMax)) {
    const bool has_cut_line = !text->empty() && !text->ends_with('\n');
    last_number_ = static_cast<std::uint64_t>(std::count(text->begin(), text->end(), '\n') + (has_cut_line ? 1 : 0));
  }
  is_open_ = true;
  return {};
}

Result<void> FileChanges::put_image(const ContentId& id, std::string_view bytes) {
  const std::string path = image_path(id);
  struct stat found{};
  // After a power cut one may be there without its bytes.
  const bool is_kept = ::lstat(path.c_str(), &found) == 0 && static_cast<std::size_t>(found.st_size) == bytes.size();
  if (is_kept) return {};
  if (bytes.size() > bytes_max_ - std::min(bytes_max_, bytes_kept_)) {
    return fail(Errc::limit, "the session keeps at most " + human_bytes(bytes_max_) + " of old contents");
  }
  const std::string unfinished = path + std::string(kUnfinished);
  const UniqueFd file(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  const bool written = file && write_all(file.get(), bytes) && (!waits_for_disk() || sync_data(file.get())) &&
                       ::rename(unfinished.c_str(), path.c_str()) == 0 && (!waits_for_disk() || sync_names_in(images_));
  if (!written) {
    const int error = errno;
    ::unlink(unfinished.c_str());
    return std::unexpected(system_error(Errc::io, "its old content cannot be kept", error));
  }
  bytes_kept_ += bytes.size();
  return {};
}

Result<void> FileChanges::append(std::string line) {
  const UniqueFd file(::open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file && ends_in_the_middle_of_a_line(file.get())) line.insert(0, 1, '\n');
  line += '\n';
  ssize_t written = -1;
  do {
    written = file ? ::write(file.get(), line.data(), line.size()) : -1;
  } while (written < 0 && errno == EINTR);
  const auto failed = [](int error) {
    return std::unexpected(system_error(Errc::io, "the change cannot be recorded", error));
  };
  if (written != static_cast<ssize_t>(line.size())) return failed(written < 0 ? errno : ENOSPC);
  if (!waits_for_disk()) return {};
  // With the first line the names of this file and of the folder of images too.
  if (!sync_data(file.get()) || (!are_names_on_disk_ && !sync_names_in(parent_path(file_)))) return failed(errno);
  are_names_on_disk_ = true;
  return {};
}

Result<std::vector<RecordedChange>> FileChanges::all() const {
  const std::lock_guard lock(mutex_);
  const auto text = read_private_file(file_, kChangesFileBytesMax);
  if (!text && text.error().code == Errc::not_found) return std::vector<RecordedChange>();
  if (!text) return std::unexpected(text.error());
  std::vector<RecordedChange> changes;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    take_line(rest.substr(0, end), changes);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return changes;
}

Result<std::string> FileChanges::before_image(const ContentId& id) const {
  auto bytes = read_private_file(image_path(id), id.size);
  if (bytes && content_id(*bytes).hash == id.hash) return bytes;
  return fail(Errc::limit, "The old content is not kept any more.");
}

void give_back_owner(std::string_view path, const FileOwner& owner, std::uint32_t mode) {
  const UniqueFd file = open_without_links(path, O_RDONLY | O_NONBLOCK);
  struct stat now{};
  if (!file || ::fstat(file.get(), &now) != 0 || !S_ISREG(now.st_mode)) return;
  const bool is_its_own = FileOwner{.user = now.st_uid, .group = now.st_gid} == owner;
  if (!is_its_own && ::fchown(file.get(), owner.user, owner.group) != 0) return;
  if (!is_its_own || (now.st_mode & kModeBits) != mode) std::ignore = ::fchmod(file.get(), mode);
}

void remove_empty_folders(std::string_view folder, std::string_view topmost) {
  for (; !topmost.empty() && is_at_or_below(folder, topmost); folder = parent_path(folder)) {
    // One that is gone was removed by somebody who was killed before he came to those above it.
    if (::rmdir(std::string(folder).c_str()) != 0 && errno != ENOENT) return;
  }
}

Result<void> FileChanges::mark_undone(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  return append(to_json(JsonObject{{"type", "undone"}, {"number", number}}));
}

}  // namespace deft
