#include "deft/agent/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "deft/agent/modifier_json.h"
#include "deft/os/file_descriptor.h"
#include "deft/os/private_folder.h"

namespace deft {
namespace {

constexpr std::size_t kHeaderBytesMax = 32'768;
constexpr std::size_t kEntriesOfAMomentBytesMax = std::size_t{256} << 10;
constexpr std::chrono::milliseconds kLockPatience{300};
constexpr std::chrono::milliseconds kLockLookedAtEvery{5};
constexpr std::string_view kHeaderBegins = R"({"type":"journal",)";

Result<std::string> beginning_of(int descriptor, const std::string& path) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(kHeaderBytesMax);
  const ssize_t count = ::pread(descriptor, buffer.get(), kHeaderBytesMax, 0);
  if (count < 0) return std::unexpected(system_error(Errc::io, path + " cannot be read", errno));
  return std::string(buffer.get(), static_cast<std::size_t>(count));
}

// The first line says which version wrote the journal; one from the future is left alone. Returns what it was forked
// from.
Result<std::string> check_header(std::string_view text, const std::string& path) {
  const auto header = parse_json(text.substr(0, text.find('\n')));
  const auto version = header ? find_int(*header, "version") : std::nullopt;
  if (!version || find_string(*header, "type") != "journal") {
    return fail(Errc::invalid_input, path + " is not a journal; choose another --session folder");
  }
  if (*version > kJournalVersion) {
    return fail(Errc::unsupported, path + " was written by a newer deft (journal version " + std::to_string(*version) +
                                       "); use that one, or another --session folder");
  }
  return std::string(find_string(*header, "forked_from").value_or(""));
}

bool ends_in_the_middle_of_a_line(int descriptor, off_t size) {
  char last = '\n';
  return ::pread(descriptor, &last, 1, size - 1) == 1 && last != '\n';
}

iovec part_of(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

// Where it is not, it is ours from now on, or there are no locks here. A process that was killed while it started
// another one leaves the lock to that one for a moment, until it has become another program.
bool is_locked_by_others(int file) {
  for (auto waited = std::chrono::milliseconds::zero();; waited += kLockLookedAtEvery) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return false;
    if (waited >= kLockPatience) return true;
    std::this_thread::sleep_for(kLockLookedAtEvery);
  }
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

bool was_never_begun(std::string_view text) {
  if (text.size() >= kHeaderBytesMax || text.find('\n') != std::string_view::npos) return false;
  return kHeaderBegins.starts_with(text) || (text.starts_with(kHeaderBegins) && !parse_json(text));
}

Journal::Journal(std::string folder, std::string path, UniqueFd file, const Clock& clock, Survives survives)
    : folder_(std::move(folder)), path_(std::move(path)), file_(std::move(file)), clock_(&clock), survives_(survives) {}

Journal::Journal(Journal&& other) noexcept
    : folder_(std::move(other.folder_)),
      path_(std::move(other.path_)),
      forked_from_(std::move(other.forked_from_)),
      file_(std::move(other.file_)),
      clock_(other.clock_),
      survives_(other.survives_),
      waiting_(std::move(other.waiting_)),
      waiting_lines_(std::move(other.waiting_lines_)),
      late_(std::move(other.late_)),
      is_torn_(other.is_torn_),
      has_lost_(other.has_lost_),
      effects_(std::move(other.effects_)),
      writes_(other.writes_),
      soon_(std::move(other.soon_)),
      writes_on_disk_(other.writes_on_disk_) {}

Journal::~Journal() {
  if (file_) static_cast<void>(flush());
}

Result<Journal> Journal::open(const std::string& folder, const Clock& clock, const JournalHeader& header,
                              std::string_view name, Survives survives) {
  if (auto made = make_private_folders(folder); !made) return std::unexpected(made.error());
  const std::string path = folder + "/" + std::string(name);
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!file) return std::unexpected(system_error(Errc::io, "cannot open " + path, errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return std::unexpected(system_error(Errc::io, path, errno));
  if (!S_ISREG(status.st_mode)) return fail(Errc::invalid_input, path + " is not a regular file");
  // Two writers would each know half of what has happened. Where locks do not exist we go on without.
  if (is_locked_by_others(file.get())) {
    return fail(Errc::denied, "The session in " + folder + " is in use by another process; end that one, or fork it.");
  }

  Journal journal(folder, path, std::move(file), clock, survives);
  if (::fstat(journal.file_.get(), &status) != 0) return std::unexpected(system_error(Errc::io, path, errno));
  // Whoever removed it had the lock until now: what would be written from here on nobody could find.
  struct stat named{};
  const bool has_its_name =
      ::lstat(path.c_str(), &named) == 0 && named.st_ino == status.st_ino && named.st_dev == status.st_dev;
  if (!has_its_name) return fail(Errc::not_found, "The session in " + folder + " was removed just now.");
  const auto beginning = beginning_of(journal.file_.get(), path);
  if (!beginning) return std::unexpected(beginning.error());
  if (was_never_begun(*beginning)) {
    if (status.st_size > 0 && ::ftruncate(journal.file_.get(), 0) != 0) {
      return std::unexpected(system_error(Errc::io, path, errno));
    }
    if (auto begun = journal.append(header_entry(header)); !begun) return std::unexpected(begun.error());
    journal.forked_from_ = header.forked_from;
    status.st_size = 0;
  } else {
    auto forked_from = check_header(*beginning, path);
    if (!forked_from) return std::unexpected(forked_from.error());
    journal.forked_from_ = std::move(*forked_from);
  }
  // A line cut off by a crash or a full disk must not swallow the next entry.
  journal.is_torn_ = status.st_size > 0 && ends_in_the_middle_of_a_line(journal.file_.get(), status.st_size);
  // Its name too, and what an earlier run may have left to the system.
  if (survives == Survives::power_cut && !(sync_data(journal.file_.get()) && sync_folders_up_from(folder))) {
    return std::unexpected(system_error(Errc::io, path + " cannot be brought to the disk", errno));
  }
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

void Journal::append_before_intent(std::function<JournalEntry()> entry) {
  const std::int64_t time_ms = now_ms();
  const std::lock_guard lock(mutex_);
  waiting_.push_back({time_ms, std::move(entry)});
}

void Journal::drop_what_waits() {
  const std::lock_guard lock(mutex_);
  forget_what_waits();
}

void Journal::forget_what_waits() {
  waiting_.clear();
  waiting_lines_.clear();
}

Result<void> Journal::append_for_what_waits(const JournalEntry& entry) {
  const std::string line = entry.line(now_ms());
  const std::lock_guard lock(mutex_);
  auto written = write(line);
  if (written || late_.ends_with(line)) forget_what_waits();  // else the next intent still needs it
  return written;
}

Result<void> Journal::append_lines(std::string_view lines) {
  const std::lock_guard lock(mutex_);
  return write(lines);
}

Result<void> Journal::write(std::string_view lines) {
  const auto written = try_to_write(lines);
  if (written) return {};
  const std::string_view rest = lines.substr(lines.size() - written.error().bytes);
  if (late_.size() + rest.size() <= kLateEntriesBytesMax) late_ += rest;
  return std::unexpected(written.error().why);
}

bool Journal::add_soon(std::string_view line) {
  const std::lock_guard lock(soon_mutex_);
  if (soon_.size() + line.size() > kEntriesOfAMomentBytesMax) return false;
  soon_ += line;
  return true;
}

bool Journal::take_soon() {
  const std::lock_guard lock(soon_mutex_);
  if (soon_.empty()) return false;
  if (late_.empty()) {
    late_.swap(soon_);  // both keep their memory
  } else {
    late_ += soon_;
    soon_.clear();
  }
  return true;
}

// What is late goes with them, and stays late if it is not written.
std::expected<void, Journal::Unwritten> Journal::try_to_write(std::string_view lines) {
  take_soon();
  const std::string_view repair = is_torn_ ? "\n" : "";
  const std::size_t size = repair.size() + late_.size() + lines.size();
  iovec parts[3] = {part_of(repair), part_of(late_), part_of(lines)};
  ssize_t count = 0;
  do {
    count = ::writev(file_.get(), parts, 3);
  } while (count < 0 && errno == EINTR);
  const int error = count < 0 ? errno : ENOSPC;
  const std::size_t done = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  if (done > 0) ++writes_;
  if (done == size) {
    const std::string_view last = !lines.empty() ? lines : !late_.empty() ? std::string_view(late_) : repair;
    if (done > 0) is_torn_ = !last.ends_with('\n');
    late_.clear();
    return {};
  }
  const std::string bytes = std::string(repair) + late_ + std::string(lines);
  if (done > 0) is_torn_ = bytes[done - 1] != '\n';
  // A line that was cut is written again; one that lacks nothing but its end is there.
  const std::size_t line = done > 0 ? bytes.rfind('\n', done - 1) + 1 : 0;
  const std::size_t rest = bytes.size() - (bytes[done] == '\n' ? done + 1 : line);
  const std::size_t unwritten = std::min(rest, lines.size());
  late_.erase(0, late_.size() - (rest - unwritten));
  return std::unexpected(Unwritten{system_error(Errc::io, "the journal cannot be written", error), unwritten});
}

Result<void> Journal::sync() {
  if (survives_ == Survives::killed) return {};
  std::uint64_t wanted = 0;
  {
    const std::lock_guard lock(mutex_);
    wanted = writes_;
  }
  const std::lock_guard lock(sync_mutex_);
  if (writes_on_disk_ >= wanted) return {};  // whoever was before us has waited for ours too
  std::uint64_t written = 0;
  int error = 0;
  {
    const std::lock_guard look(mutex_);
    written = writes_;
    if (has_lost_) error = EIO;
  }
  if (error == 0 && !sync_data(file_.get())) error = errno;
  if (error == 0) {
    writes_on_disk_ = written;
    return {};
  }
  const std::lock_guard look(mutex_);
  has_lost_ = has_lost_ || error == EIO;
  return std::unexpected(system_error(Errc::io, "the journal cannot be brought to the disk", error));
}

Result<void> Journal::asked(const ToolCall& call, std::string_view directory, std::string_view reason) {
  JournalEntry entry("asked");
  entry.text("call", call.id).text("tool", call.name).json("input", call.input);
  return append(entry.text("directory", directory).text("reason", reason));
}

Result<void> Journal::intent(const ToolCall& call) {
  JournalEntry entry("intent");
  const std::string line = entry.text("call", call.id).text("tool", call.name).json("input", call.input).line(now_ms());
  {
    const std::lock_guard lock(mutex_);
    for (const Waiting& waiting : std::exchange(waiting_, {})) {
      waiting_lines_ += waiting.entry().line(waiting.time_ms);
    }
    const std::string lines = waiting_lines_ + line;
    const auto written = try_to_write(lines);
    waiting_lines_.erase(0, written ? std::string::npos : lines.size() - written.error().bytes);
    if (!written) return std::unexpected(written.error().why);
    if (survives_ == Survives::power_cut) effects_.insert(call.id);
  }
  return sync();
}

Result<void> Journal::result(const std::string& call_id, const std::string& tool, const ToolResult& result, When when) {
  JournalEntry entry("result");
  entry.text("call", call_id).text("tool", tool).flag("is_error", result.is_error()).text("content", result.text);
  if (!result.blocks.empty()) entry.json("blocks", result.blocks);
  if (!result.new_messages.empty()) entry.json("new_messages", result.new_messages);
  if (!result.modifiers.empty()) entry.raw("modifiers", modifiers_json(result.modifiers));
  const std::string line = entry.line(now_ms());
  if (when == When::soon && add_soon(line)) return {};
  bool had_effect = false;
  {
    const std::lock_guard lock(mutex_);
    if (auto written = write(line); !written) return written;
    had_effect = effects_.erase(call_id) > 0;
  }
  return had_effect ? sync() : Result<void>();
}

Result<void> Journal::flush() {
  const std::lock_guard lock(mutex_);
  return take_soon() ? write({}) : Result<void>();
}

Result<void> Journal::shown(const std::string& call_id, const ToolResult& result) {
  JournalEntry entry("shown");
  entry.text("call", call_id).text("content", result.text);
  if (!result.blocks.empty()) entry.json("blocks", result.blocks);
  return append(entry);
}

Result<void> Journal::message_discarded() { return append_for_what_waits(JournalEntry("discarded")); }

Result<void> Journal::state(std::string_view key, const Json& value) {
  JournalEntry entry("state");
  return append(entry.text("key", key).json("value", value));
}

}  // namespace deft
