#include "deft/agent/journal_reader.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "deft/os/unique_fd.h"

namespace deft {
namespace {

constexpr std::size_t kFirstChunkBytes = 4096;  // most journals that are read at a start have just begun
constexpr std::size_t kChunkBytesMax = std::size_t{256} << 10;
// The largest message that there can be, as a text inside of a line.
constexpr std::size_t kLineBytesMax = 3 * kJsonBytesMax;

// The lines of a file, each without its newline. What comes after the last newline counts too: if it is a whole entry,
// only the newline was lost, and whoever goes on writing will add it.
class Lines {
 public:
  explicit Lines(int fd) : fd_(fd) {}

  // False: there is none left; error_number() says whether that is the end.
  bool next(std::string_view& line) {
    for (;;) {
      const std::size_t end = buffer_.find('\n', searched_);
      if (end != std::string::npos) {
        line = std::string_view(buffer_).substr(begin_, end - begin_);
        begin_ = searched_ = end + 1;
        if (!std::exchange(is_too_long_, false)) return true;
        continue;
      }
      if (read_more()) continue;
      line = std::string_view(buffer_).substr(begin_);
      begin_ = searched_ = buffer_.size();
      return !line.empty() && !is_too_long_;
    }
  }
  int error_number() const { return error_; }

 private:
  bool read_more() {
    buffer_.erase(0, begin_);
    begin_ = 0;
    if (buffer_.size() > kLineBytesMax) {  // not one of ours: its rest is passed over
      buffer_.clear();
      is_too_long_ = true;
    }
    searched_ = buffer_.size();
    const std::size_t had = buffer_.size();
    buffer_.resize(had + chunk_);
    ssize_t got = 0;
    do {
      got = ::read(fd_, buffer_.data() + had, chunk_);
    } while (got < 0 && errno == EINTR);
    if (got < 0) error_ = errno;
    chunk_ = std::min(2 * chunk_, kChunkBytesMax);
    buffer_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return got > 0;
  }

  int fd_;
  std::size_t chunk_ = kFirstChunkBytes;
  std::string buffer_;
  std::size_t begin_ = 0;     // of the line
  std::size_t searched_ = 0;  // no newline from begin_ to here
  bool is_too_long_ = false;
  int error_ = 0;
};

Result<UniqueFd> open_journal(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file && errno == ENOENT) return fail(Errc::not_found, "there is no " + path);
  if (!file) return std::unexpected(system_error(Errc::io, "cannot open " + path, errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(Errc::invalid_input, path + " is not a regular file");
  }
  return file;
}

Result<JournalOpening> opening_of(Lines& lines, const std::string& path) {
  std::string_view line;
  const auto text = lines.next(line) ? parse_json(line) : Result<Json>(Json());
  const auto version = text ? find_int(*text, "version") : std::nullopt;
  if (!version || find_string(*text, "type") != "journal") {
    return fail(Errc::invalid_input, path + " is not a journal");
  }
  if (*version > kJournalVersion) {
    return fail(Errc::unsupported,
                path + " was written by a newer deft (journal version " + std::to_string(*version) + "); use that one");
  }
  const auto word = [&](std::string_view key) { return std::string(find_string(*text, key).value_or("")); };
  return JournalOpening{
      .version = static_cast<int>(*version),
      .time_ms = find_int(*text, "time_ms").value_or(0),
      .header = {.session_id = word("session"), .directory = word("directory"), .forked_from = word("forked_from")}};
}

}  // namespace

Result<JournalOpening> read_journal_opening(const std::string& path) {
  const auto file = open_journal(path);
  if (!file) return std::unexpected(file.error());
  Lines lines(file->get());
  return opening_of(lines, path);
}

bool has_prompt(const std::string& path) {
  const auto file = open_journal(path);
  if (!file) return false;
  Lines lines(file->get());
  for (std::string_view line; lines.next(line);) {
    if (line.starts_with(R"({"type":"prompt",)")) return true;
  }
  return false;
}

Result<JournalOpening> read_journal(const std::string& path,
                                    const std::function<void(std::string_view type, const Json& entry)>& take) {
  return read_journal_lines(path, [&](std::string_view line) {
    const auto entry = parse_json(line, {.bytes_max = kLineBytesMax});
    if (!entry) return;
    if (const auto type = find_string(*entry, "type")) take(*type, *entry);
  });
}

Result<JournalOpening> read_journal_lines(const std::string& path,
                                          const std::function<void(std::string_view line)>& take) {
  const auto file = open_journal(path);
  if (!file) return std::unexpected(file.error());
  Lines lines(file->get());
  auto opening = opening_of(lines, path);
  if (!opening) return opening;
  for (std::string_view line; lines.next(line);) take(line);
  if (lines.error_number() != 0) {
    return std::unexpected(system_error(Errc::io, path + " cannot be read", lines.error_number()));
  }
  return opening;
}

}  // namespace deft
