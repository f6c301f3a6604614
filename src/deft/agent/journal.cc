#include "deft/agent/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "deft/agent/modifier_json.h"
#include "deft/os/private_folder.h"

namespace deft {
namespace {

constexpr std::size_t kHeaderBytesMax = 32'768;

// The first line says which version wrote the journal; one from the future is left alone.
Result<void> check_header(int descriptor, const std::string& path) {
  std::string buffer(kHeaderBytesMax, '\0');
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

bool ends_in_the_middle_of_a_line(int descriptor, off_t size) {
  char last = '\n';
  return ::pread(descriptor, &last, 1, size - 1) == 1 && last != '\n';
}

JournalEntry header_entry(const JournalHeader& header) {
  JournalEntry entry("journal");
  entry.number("version", kJournalVersion).text("deft", DEFT_VERSION);
  if (!header.session_id.empty()) entry.text("session", header.session_id);
  if (!header.directory.empty()) entry.text("directory", header.directory);
  if (!header.forked_from.empty()) entry.text("forked_from", header.forked_from);
  return entry;
}

}  // namespace

Journal::Journal(std::string folder, std::string path, UniqueFd file, const Clock& clock)
    : folder_(std::move(folder)), path_(std::move(path)), file_(std::move(file)), clock_(&clock) {}

Journal::Journal(Journal&& other) noexcept
    : folder_(std::move(other.folder_)),
      path_(std::move(other.path_)),
      file_(std::move(other.file_)),
      clock_(other.clock_),
      waiting_(std::move(other.waiting_)),
      is_torn_(other.is_torn_) {}

Result<Journal> Journal::open(const std::string& folder, const Clock& clock, const JournalHeader& header,
                              std::string_view name) {
  if (auto made = make_private_folders(folder); !made) return std::unexpected(made.error());
  const std::string path = folder + "/" + std::string(name);
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!file) return std::unexpected(system_error(Errc::io, "cannot open " + path, errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return std::unexpected(system_error(Errc::io, path, errno));
  if (!S_ISREG(status.st_mode)) return fail(Errc::invalid_input, path + " is not a regular file");
  // Two writers would each know half of what has happened. Where locks do not exist we go on without.
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return fail(Errc::denied, "The session in " + folder + " is in use by another process; end that one, or fork it.");
  }

  Journal journal(folder, path, std::move(file), clock);
  if (::fstat(journal.file_.get(), &status) != 0) return std::unexpected(system_error(Errc::io, path, errno));
  const auto ready =
      status.st_size == 0 ? journal.append(header_entry(header)) : check_header(journal.file_.get(), path);
  if (!ready) return std::unexpected(ready.error());
  // A line cut off by a crash or a full disk must not swallow the next entry.
  journal.is_torn_ = status.st_size > 0 && ends_in_the_middle_of_a_line(journal.file_.get(), status.st_size);
  return journal;
}

std::int64_t Journal::now_ms() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock_->wall_time().time_since_epoch()).count();
}

Result<void> Journal::append(const JournalEntry& entry) {
  const std::string line = entry.line(now_ms());
  const std::lock_guard lock(mutex_);
  return write(line);
}

void Journal::append_before_intent(const JournalEntry& entry) {
  const std::string line = entry.line(now_ms());
  const std::lock_guard lock(mutex_);
  waiting_ += line;
}

void Journal::drop_what_waits() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
}

Result<void> Journal::append_line(std::string_view line) {
  const std::string ended = std::string(line) + "\n";
  const std::lock_guard lock(mutex_);
  return write(ended);
}

Result<void> Journal::write(std::string_view lines) {
  const std::string repaired = is_torn_ ? "\n" + std::string(lines) : "";
  const std::string_view bytes = is_torn_ ? std::string_view(repaired) : lines;
  ssize_t written = 0;
  do {
    written = ::write(file_.get(), bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return std::unexpected(system_error(Errc::io, "the journal cannot be written", errno));
  is_torn_ = static_cast<std::size_t>(written) != bytes.size() && (is_torn_ || written > 0);
  if (static_cast<std::size_t>(written) == bytes.size()) return {};
  return fail(Errc::io, "the journal cannot be written: the disk is full");
}

Result<void> Journal::asked(const ToolCall& call, std::string_view directory, std::string_view reason) {
  JournalEntry entry("asked");
  entry.text("call", call.id).text("tool", call.name).json("input", call.input);
  return append(entry.text("directory", directory).text("reason", reason));
}

Result<void> Journal::intent(const ToolCall& call) {
  JournalEntry entry("intent");
  const std::string line = entry.text("call", call.id).text("tool", call.name).json("input", call.input).line(now_ms());
  const std::lock_guard lock(mutex_);
  auto written = write(waiting_.empty() ? line : waiting_ + line);
  if (written) waiting_.clear();
  return written;
}

Result<void> Journal::result(const std::string& call_id, const std::string& tool, const ToolResult& result) {
  JournalEntry entry("result");
  entry.text("call", call_id).text("tool", tool).flag("is_error", result.is_error()).text("content", result.text);
  if (!result.blocks.empty()) entry.json("blocks", result.blocks);
  if (!result.new_messages.empty()) entry.json("new_messages", result.new_messages);
  if (!result.modifiers.empty()) entry.json("modifiers", modifiers_json(result.modifiers));
  return append(entry);
}

Result<void> Journal::shown(const std::string& call_id, const ToolResult& result) {
  JournalEntry entry("shown");
  entry.text("call", call_id).text("content", result.text);
  if (!result.blocks.empty()) entry.json("blocks", result.blocks);
  return append(entry);
}

Result<void> Journal::message_discarded() {
  drop_what_waits();
  return append(JournalEntry("discarded"));
}

Result<void> Journal::state(std::string_view key, const Json& value) {
  JournalEntry entry("state");
  return append(entry.text("key", key).json("value", value));
}

}  // namespace deft
