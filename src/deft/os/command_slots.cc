#include "deft/os/command_slots.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "deft/base/path.h"
#include "deft/os/private_folder.h"
#include "deft/os/stop_event.h"

// The first bytes of the file are the slots. Far behind them is a byte for each number that somebody was told: the head
// of the line of those who were told the same, so that nobody waits behind one who was told fewer. A lock belongs to
// the open file, not to the process: each slot, and each place in line, has opened the file for itself.

namespace deft {
namespace {

constexpr off_t kHeadsOfLines = off_t{1} << 40;
// Who is killed gives a slot back without telling; a moment after its file was closed it is free.
constexpr int kLookAgainMs = 100;

struct flock lock_of(short type, off_t byte, off_t length) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = length;
  return lock;
}

off_t head_of_line(std::size_t most) { return kHeadsOfLines + static_cast<off_t>(most); }

enum class Locked { yes, no, cannot };

Locked lock_byte(int file, off_t byte) {
  struct flock lock = lock_of(F_WRLCK, byte, 1);
  if (::fcntl(file, F_OFD_SETLK, &lock) == 0) return Locked::yes;
  return errno == EAGAIN || errno == EACCES || errno == EINTR ? Locked::no : Locked::cannot;
}

bool is_locked_by_others(int file, off_t byte) {
  struct flock lock = lock_of(F_WRLCK, byte, 1);
  return ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

Locked lock_slot(int file, std::size_t most) {
  for (std::size_t i = 0; i < most; ++i) {
    const Locked locked = lock_byte(file, static_cast<off_t>(i));
    if (locked != Locked::no) return locked;
  }
  return Locked::no;
}

// Whoever watches the file hears of it being closed a little before its locks go: so they go first.
void let_go(UniqueFd& file) {
  if (!file) return;
  struct flock all = lock_of(F_UNLCK, 0, 0);
  ::fcntl(file.get(), F_OFD_SETLK, &all);
  file.reset();
}

// Becomes readable when somebody has closed the file. -1 where that cannot be had: then we look again by the clock.
UniqueFd watch(const std::string& path) {
  UniqueFd events(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (events && ::inotify_add_watch(events.get(), path.c_str(), IN_CLOSE_WRITE) < 0) events.reset();
  return events;
}

void wait_for_change(const UniqueFd& events, const StopEvent& stop) {
  std::array<pollfd, 2> watched{
      {{.fd = stop.fd(), .events = POLLIN, .revents = 0}, {.fd = events.get(), .events = POLLIN, .revents = 0}}};
  ::poll(watched.data(), watched.size(), kLookAgainMs);
  std::array<char, 4096> told{};
  while (events && ::read(events.get(), told.data(), told.size()) > 0) continue;
}

// A place in line: given up with its object, whatever happens.
struct Place {
  UniqueFd file;
  bool is_first = false;
  explicit Place(UniqueFd opened) : file(std::move(opened)) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { let_go(file); }
};

}  // namespace

CommandSlot::~CommandSlot() { let_go(file_); }

Result<UniqueFd> CommandSlots::open() const {
  const auto once = [&] {
    return UniqueFd(::open(options_.file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  };
  UniqueFd file = once();
  if (!file && errno == ENOENT) {
    if (auto made = make_private_folders(std::string(parent_path(options_.file))); !made) {
      return std::unexpected(made.error());
    }
    file = once();
  }
  if (!file) return std::unexpected(system_error(Errc::io, "cannot open " + options_.file, errno));
  return file;
}

Result<void> CommandSlots::check() const {
  const auto file = open();
  if (!file) return std::unexpected(file.error());
  if (lock_slot(file->get(), 1) == Locked::cannot) {
    return std::unexpected(system_error(Errc::io, "cannot lock " + options_.file, errno));
  }
  return {};
}

Result<CommandSlot> CommandSlots::take(const std::stop_token& stop, const std::function<void()>& on_wait) const {
  if (options_.most == 0) return CommandSlot();
  auto file = open();
  if (!file) return CommandSlot();
  if (options_.is_within_one || !is_locked_by_others(file->get(), head_of_line(options_.most))) {
    const Locked locked = lock_slot(file->get(), options_.most);
    if (locked == Locked::yes) return CommandSlot(*std::move(file));
    if (locked == Locked::cannot || options_.is_within_one) return CommandSlot();
  }
  if (on_wait) on_wait();
  return wait_in_line(*std::move(file), stop);
}

Result<CommandSlot> CommandSlots::wait_in_line(UniqueFd file, const std::stop_token& stop) const {
  auto opened = open();
  if (!opened) return CommandSlot();
  Place place(*std::move(opened));
  const StopEvent stop_event(stop);
  const UniqueFd events = watch(options_.file);
  while (!stop.stop_requested()) {
    place.is_first = place.is_first || lock_byte(place.file.get(), head_of_line(options_.most)) == Locked::yes;
    const Locked locked = place.is_first ? lock_slot(file.get(), options_.most) : Locked::no;
    if (locked == Locked::yes) return CommandSlot(std::move(file));
    if (locked == Locked::cannot) return CommandSlot();
    wait_for_change(events, stop_event);
  }
  return fail(Errc::cancelled, "");
}

}  // namespace deft
