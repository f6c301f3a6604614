// The warden: owns every process that deft starts, and ends them all when deft ends, however it ends.
//
// deft starts one warden on first use and hands it commands over a socket. For each the warden forks a supervisor
// (supervisor.h), which runs the command and answers deft directly. What is left for the warden:
//   - when deft is gone (its socket has ended, or its pidfd says so), everything below the warden is ended;
//   - when a supervisor is killed, its command's processes become the warden's children; it ends them and tells deft;
//   - when the warden itself is killed, the supervisors notice (warden_alive) and end what is theirs.
// It has a session, a name and an empty environment of its own, blocks every signal, and holds no secret.

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "warden/command_groups.h"
#include "warden/descendants.h"
#include "warden/private_folder.h"
#include "warden/protocol.h"
#include "warden/supervisor.h"
#include "warden/system.h"

namespace warden {
namespace {

constexpr int kSweepPauseMillis = 5;
constexpr int kSupervisorsEndMillisMax = 500;  // then the warden ends what they have not
constexpr int kOrphanFreezeMillisMax = 200;    // other commands wait to be started meanwhile

// What is kept of a running command: the warden's own end of its channel is for the day its supervisor is killed.
struct Running {
  pid_t supervisor;  // 0: was killed; deft is told when its orphans are gone
  int channel;
  std::uint32_t folder;  // 0: none
  std::uint32_t group;   // 0: none
};

class Warden {
 public:
  bool start();
  void run();

 private:
  bool take_request();
  void prepare(const char* temporary_parent);
  bool start_supervisor(const Descriptors& fds, const StartRequest& request);
  void reap();
  void forget(pid_t supervisor, int status);
  void end_orphans();
  void answer_lost();
  void end_everything();
  void wait_for_ends(std::int64_t until);

  int owner_ = kOwnerDescriptor;
  int child_signals_ = -1;
  int alive_read_ = -1;
  int alive_write_ = -1;
  rlimit open_files_{};
  bool has_proc_ = false;
  bool is_ending_ = false;
  bool has_children_ = false;
  bool orphans_possible_ = false;
  std::int64_t orphans_due_ = 0;
  std::size_t running_count_ = 0;
  PrivateFolders folders_;
  CommandGroups groups_;
  Running running_[kCommandsRunningMax];
  pid_t supervisors_[kCommandsRunningMax];  // scratch: who is spared
};

// In static memory: large, but pages that no sweep touches don't exist.
Descendants descendants(best_listing());

void refuse(int channel, Stage stage, int error_number) {
  Report report;
  report.kind = ReportKind::failed;
  report.stage = stage;
  report.error_number = error_number;
  send_packet(channel, &report, kReportBytesMin);
}

// Every signal blocked and none ignored: commands only need to unblock them. Ignored ones would stay ignored in them;
// glibc's posix_spawn leaves two of its own so (32 and 33), which its sigaction() doesn't let one change.
void reset_signals() {
  const char default_action[64] = {};  // the kernel's structure, all zero
  for (int signal = 1; signal <= 64; ++signal) {
    syscall(SYS_rt_sigaction, signal, default_action, nullptr, sizeof(std::uint64_t));
  }
  const std::uint64_t all = ~std::uint64_t{0};
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, sizeof all);
}

bool Warden::start() {
  // Whatever the host program left open must not live on here. 0 to 2 become /dev/null, so that no descriptor that is
  // received later takes their place.
  int kept[] = {kRequestsDescriptor, kOwnerDescriptor};
  close_all_except(kept, 2);
  if (open("/dev/null", O_RDWR) != 0 || dup2(0, 1) != 1 || dup2(0, 2) != 2) return false;
  fcntl(kRequestsDescriptor, F_SETFD, FD_CLOEXEC);
  if (fcntl(owner_, F_SETFD, FD_CLOEXEC) != 0) owner_ = -1;
  set_name(kWardenName);
  // A command of the same user may not look into us: other commands' descriptors and environments pass through here.
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (chdir("/") != 0) return false;
  reset_signals();
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  child_signals_ = signalfd(-1, &child_ended, SFD_CLOEXEC | SFD_NONBLOCK);
  int alive[2];
  if (child_signals_ < 0 || pipe2(alive, O_CLOEXEC) != 0) return false;
  alive_read_ = alive[0];
  alive_write_ = alive[1];
  // Commands get deft's own limit; the warden needs a descriptor for each of them.
  getrlimit(RLIMIT_NOFILE, &open_files_);
  const rlimit raised{.rlim_cur = open_files_.rlim_max, .rlim_max = open_files_.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
  has_proc_ = access("/proc/self/stat", R_OK) == 0;
  return true;
}

void Warden::run() {
  for (;;) {
    pollfd watched[] = {{.fd = child_signals_, .events = POLLIN, .revents = 0},
                        {.fd = kRequestsDescriptor, .events = POLLIN, .revents = 0},
                        {.fd = owner_, .events = POLLIN, .revents = 0}};
    if (poll(watched, 3, orphans_due_ != 0 ? kSweepPauseMillis : -1) < 0) continue;
    if (watched[2].revents != 0) return end_everything();
    if (watched[0].revents != 0) reap();
    if (orphans_possible_) end_orphans();
    if (watched[1].revents != 0 && !take_request()) return end_everything();
  }
}

// False: deft is gone.
bool Warden::take_request() {
  StartRequest request;
  iovec data{.iov_base = &request, .iov_len = sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(kPassedMax * sizeof(int))];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(kRequestsDescriptor, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;

  int passed[kPassedMax];
  std::size_t passed_count = 0;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    passed_count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::memcpy(passed, CMSG_DATA(header), passed_count * sizeof(int));
  }
  Descriptors fds;
  std::size_t next = 0;
  const auto take = [&](bool is_passed) { return is_passed && next < passed_count ? passed[next++] : -1; };
  fds.channel = take(true);
  fds.command = take(true);
  fds.output = take(true);
  fds.input = take((request.passes & kPassesInput) != 0);
  fds.errors = take((request.passes & kPassesErrors) != 0);
  fds.directory = take((request.passes & kPassesDirectory) != 0);
  const std::size_t expected = 3 + static_cast<std::size_t>(__builtin_popcount(request.passes));
  const bool is_whole = got == sizeof request && request.magic == kProtocolMagic &&
                        request.version == kProtocolVersion &&
                        request.temporary_parent[kTemporaryParentBytesMax - 1] == '\0' &&
                        (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
  if (is_whole && passed_count == 0 && request.command_bytes == 0) {
    prepare(request.temporary_parent);
    return true;
  }
  const bool valid = is_whole && (request.passes & ~kPassesAll) == 0 && passed_count == expected;
  if (!valid) {
    refuse(fds.channel, Stage::request, EPROTO);
  } else if (!has_proc_) {
    refuse(fds.channel, Stage::proc, ENOENT);
  } else if (running_count_ == kCommandsRunningMax) {
    refuse(fds.channel, Stage::fork, EAGAIN);
  } else if (start_supervisor(fds, request)) {
    passed[0] = -1;  // the channel is kept
  }
  for (std::size_t i = 0; i < passed_count; ++i) {
    if (passed[i] >= 0) close(passed[i]);
  }
  return true;
}

void Warden::prepare(const char* temporary_parent) {
  groups_.prepare();
  if (temporary_parent[0] != '\0') folders_.prepare(temporary_parent);
}

bool Warden::start_supervisor(const Descriptors& fds, const StartRequest& request) {
  Assignment assignment{.descriptors = fds,
                        .command_bytes = request.command_bytes,
                        .warden_alive = alive_read_,
                        .open_files = open_files_};
  std::uint32_t folder = 0;
  if (request.temporary_parent[0] != '\0') {
    folder = folders_.take(request.temporary_parent, assignment.folder);
    if (folder == 0) {
      refuse(fds.channel, Stage::folder, errno);
      return false;
    }
    assignment.folders_of_warden = folders_.own();
  }
  std::uint32_t group = 0;
  assignment.group = groups_.take(group);
  assignment.groups_of_warden = groups_.own();
  const pid_t pid = fork();
  if (assignment.group >= 0 && pid != 0) close(assignment.group);
  if (pid == 0) supervise(assignment, descendants);
  if (pid < 0) {
    refuse(fds.channel, Stage::fork, errno);
    if (folder != 0) folders_.give_back(folder);
    if (group != 0) groups_.give_back(group);
    return false;
  }
  running_[running_count_++] = Running{.supervisor = pid, .channel = fds.channel, .folder = folder, .group = group};
  return true;
}

void Warden::reap() {
  signalfd_siginfo ignored{};
  [[maybe_unused]] const ssize_t got = read(child_signals_, &ignored, sizeof ignored);
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG | WUNTRACED | __WALL);
    has_children_ = pid >= 0;
    if (pid <= 0) return;
    if (!WIFSTOPPED(status)) {
      forget(pid, status);
    } else if (!is_ending_) {
      // A command can stop the parent of its shell. Nobody would answer deft then.
      for (std::size_t i = 0; i < running_count_; ++i) {
        if (running_[i].supervisor == pid) kill(pid, SIGCONT);
      }
    }
  }
}

void Warden::forget(pid_t pid, int status) {
  for (std::size_t i = 0; i < running_count_; ++i) {
    if (running_[i].supervisor != pid) continue;
    if (!WIFEXITED(status)) {
      running_[i].supervisor = 0;
      orphans_possible_ = true;
      return;
    }
    if (WEXITSTATUS(status) == kSupervisorLeftSurvivors) orphans_possible_ = true;
    const bool is_done = WEXITSTATUS(status) == kSupervisorDone;
    const bool folder_is_empty = is_done || WEXITSTATUS(status) == kSupervisorKilledGroup;
    if (folder_is_empty && running_[i].folder != 0) folders_.give_back(running_[i].folder);
    if (running_[i].group != 0) is_done ? groups_.give_back(running_[i].group) : groups_.remove(running_[i].group);
    close(running_[i].channel);
    running_[i] = running_[--running_count_];
    return;
  }
}

// The children that are no supervisors: what a supervisor that is gone left to us. One try; the loop comes back.
void Warden::end_orphans() {
  std::size_t count = 0;
  for (std::size_t i = 0; i < running_count_; ++i) {
    if (running_[i].supervisor != 0) supervisors_[count++] = running_[i].supervisor;
  }
  const std::int64_t now = now_millis();
  if (orphans_due_ == 0) orphans_due_ = now + kEndingMillisMax;
  descendants.sweep(supervisors_, count, now + kOrphanFreezeMillisMax);
  const bool none_left = descendants.count() == 0;
  const bool hopeless = descendants.alive_count() > 0 && descendants.alive_count() == descendants.refused_count();
  if (!none_left && !hopeless && now < orphans_due_) return;
  orphans_possible_ = !none_left;  // those that are left are tried again whenever some child ends
  orphans_due_ = 0;
  answer_lost();
}

void Warden::answer_lost() {
  for (std::size_t i = 0; i < running_count_;) {
    if (running_[i].supervisor != 0) {
      ++i;
      continue;
    }
    Report report;
    report.kind = ReportKind::lost;
    send_packet(running_[i].channel, &report, kReportBytesMin);
    close(running_[i].channel);
    running_[i] = running_[--running_count_];
  }
}

void Warden::end_everything() {
  hurry();
  groups_.kill_all();
  // Every supervisor notices and ends what is its own, all at the same time.
  close(alive_write_);
  const std::int64_t now = now_millis();
  wait_for_ends(now + kSupervisorsEndMillisMax);
  is_ending_ = true;
  const std::int64_t give_up = now + kEndingMillisMax;
  while (has_children_) {
    descendants.sweep(nullptr, 0, give_up);
    if (descendants.count() == 0 || now_millis() >= give_up) break;
    if (descendants.alive_count() > 0 && descendants.alive_count() == descendants.refused_count()) break;
    wait_for_ends(now_millis() + kSweepPauseMillis);
  }
  folders_.remove_all();
  groups_.remove_all();
}

void Warden::wait_for_ends(std::int64_t until) {
  for (;;) {
    reap();
    const std::int64_t left = until - now_millis();
    if (!has_children_ || left <= 0) return;
    pollfd ended{.fd = child_signals_, .events = POLLIN, .revents = 0};
    poll(&ended, 1, static_cast<int>(left));
  }
}

Warden the_warden;

}  // namespace
}  // namespace warden

int main() {
  if (!warden::the_warden.start()) return 1;
  warden::the_warden.run();  // until deft is gone
  return 0;
}
