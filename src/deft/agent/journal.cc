#include "deft/agent/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "deft/base/check.h"

namespace deft {
namespace {

constexpr std::size_t kHeaderBytesMax = 4096;

Result<void> write_line(int descriptor, std::string_view line) {
  ssize_t written = 0;
  do {
    written = ::write(descriptor, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return std::unexpected(system_error(Errc::io, "the journal cannot be written", errno));
  if (static_cast<std::size_t>(written) != line.size()) {
    return fail(Errc::io, "the journal cannot be written: the disk is full");
  }
  return {};
}

// The first line says which version wrote the journal; one from the future is left alone.
Result<void> check_header(int descriptor, const std::string& path) {
  std::array<char, kHeaderBytesMax> buffer{};
  const ssize_t count = ::pread(descriptor, buffer.data(), buffer.size(), 0);
  if (count < 0) return std::unexpected(system_error(Errc::io, path + " cannot be read", errno));
  const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
  const auto header = parse_json(text.substr(0, text.find('\n')));
  const auto version = header ? find_int(*header, "version") : std::nullopt;
  if (!version || find_string(*header, "type") != "journal") {
    return fail(Errc::invalid_input, path + " is not a journal; choose another --session folder");
  }
  if (*version > kJournalVersion) {
    return fail(Errc::unsupported, path + " was written by a newer deft (journal version " + std::to_string(*version) +
                                       "); use that one, or another --session folder");
  }
  return {};
}

// A line cut off by a crash or a full disk must not swallow the next entry.
Result<void> end_torn_line(int descriptor, off_t size) {
  char last = '\n';
  if (::pread(descriptor, &last, 1, size - 1) == 1 && last != '\n') return write_line(descriptor, "\n");
  return {};
}

Result<void> make_folder(const std::string& folder) {
  for (std::size_t slash = folder.find('/', 1);; slash = folder.find('/', slash + 1)) {
    const std::string part = folder.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      return std::unexpected(system_error(Errc::io, "cannot create " + part, errno));
    }
    if (slash == std::string::npos) return {};
  }
}

}  // namespace

Journal::Journal(std::string folder, int descriptor, const Clock& clock)
    : folder_(std::move(folder)), descriptor_(descriptor), clock_(&clock) {}

Journal::Journal(Journal&& other) noexcept
    : folder_(std::move(other.folder_)), descriptor_(std::exchange(other.descriptor_, -1)), clock_(other.clock_) {}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<Journal> Journal::open(const std::string& folder, const Clock& clock) {
  if (auto made = make_folder(folder); !made) return std::unexpected(made.error());
  const std::string path = folder + "/journal.jsonl";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return std::unexpected(system_error(Errc::io, "cannot open " + path, errno));

  Journal journal(folder, descriptor, clock);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return std::unexpected(system_error(Errc::io, path, errno));
  if (!S_ISREG(status.st_mode)) return fail(Errc::invalid_input, path + " is not a regular file");
  auto ready = status.st_size == 0 ? journal.append("journal", {{"version", kJournalVersion}, {"deft", DEFT_VERSION}})
                                   : check_header(descriptor, path);
  if (ready && status.st_size > 0) ready = end_torn_line(descriptor, status.st_size);
  if (!ready) return std::unexpected(ready.error());
  return journal;
}

Result<void> Journal::append(std::string_view type, JsonObject entry) const {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(clock_->wall_time().time_since_epoch());
  JsonObject line{{"type", boost::json::string_view(type.data(), type.size())}, {"time_ms", now.count()}};
  for (auto& [key, value] : entry) line.emplace(key, std::move(value));
  return write_line(descriptor_, to_json(line) + "\n");
}

Result<void> Journal::asked(const ToolCall& call, std::string_view directory, std::string_view reason) {
  return append(
      "asked",
      {{"call", call.id}, {"tool", call.name}, {"input", call.input}, {"directory", directory}, {"reason", reason}});
}

Result<void> Journal::intent(const ToolCall& call) {
  return append("intent", {{"call", call.id}, {"tool", call.name}, {"input", call.input}});
}

Result<void> Journal::result(const std::string& call_id, const std::string& tool, const ToolResult& result) {
  JsonObject entry{{"call", call_id}, {"tool", tool}, {"is_error", result.is_error()}, {"content", result.text}};
  if (!result.blocks.empty()) entry.emplace("blocks", result.blocks);
  return append("result", std::move(entry));
}

Result<void> Journal::message_discarded() { return append("discarded", {}); }

}  // namespace deft
