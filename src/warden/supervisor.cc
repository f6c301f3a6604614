#include "warden/supervisor.h"

#include <cerrno>
#include <csignal>
#include <cstdio>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "warden/daemons.h"
#include "warden/system.h"

// running ──the command ends──▶ settling ──nobody is left, or the time is up──▶ finish
//    └─────timeout, request──▶ polite ────────────same──────────────────────────▶ finish
// finish ──daemons are to be kept──▶ keep, until the last of them has ended or the warden has
// A request without grace, the end of deft and the end of the warden go to finish at once, from everywhere.

namespace warden {

namespace {

constexpr int kSweepPauseMillis = 4;
constexpr int kCrowdPauseMillis = 20;
constexpr std::uint32_t kReapedOneByOneMax = 100;
constexpr std::int64_t kNever = INT64_MAX;

std::int64_t after(std::int64_t start, std::uint64_t millis) {
  return millis < static_cast<std::uint64_t>(kNever - start) ? start + static_cast<std::int64_t>(millis) : kNever;
}

enum class Phase { running, settling, polite };

class Supervisor {
 public:
  Supervisor(const Assignment& assignment, Descendants& descendants)
      : assignment_(assignment), descendants_(descendants), channel_(assignment.descriptors.channel) {}
  [[noreturn]] void run();

 private:
  void start();
  void restrict(Command& command);
  bool clear_folder();
  void step();
  void on_child_signal();
  void clear_child_signal();
  bool reap();
  void take_request();
  void end_politely(Cause cause, std::uint64_t grace_millis);
  void on_time();
  [[noreturn]] void finish();
  void choose_daemons();
  void name_daemons();
  [[noreturn]] void keep();
  [[noreturn]] void fail(Stage stage, int error_number);
  void end_descendants();
  bool end_at_once();
  void wait_for_ends();
  void send_report() {
    const std::size_t named_bytes = report_.named_count * sizeof(Leftover);
    send_packet(channel_, &report_, kReportBytesMin + named_bytes);
  }

  const Assignment& assignment_;
  Descendants& descendants_;
  int channel_;
  int child_signals_ = -1;
  int group_ = -1;  // the command's cgroup, if it is in one
  // It was killed. A kernel may count the kills of a cgroup and kill at birth whoever is born into one that has been
  // killed since its parent's, so the next command needs another.
  bool group_is_spent_ = false;
  Phase phase_ = Phase::running;
  std::int64_t due_ = kNever;  // when the phase ends by itself
  std::int64_t settled_ = kNever;
  std::uint64_t timeout_grace_millis_ = 0;
  char** daemon_patterns_ = nullptr;
  std::size_t kept_count_ = 0;
  pid_t kept_[kDaemonsKeptMax];
  bool command_ended_ = false;
  bool reaps_itself_ = false;  // the kernel does
  std::uint32_t reaped_count_ = 0;
  bool children_left_ = true;
  Report report_;
};

void Supervisor::run() {
  start();
  while (children_left_) step();
  finish();
}

void Supervisor::start() {
  const Descriptors& fds = assignment_.descriptors;
  int kept[] = {0,
                1,
                2,
                fds.channel,
                fds.command,
                fds.output,
                fds.input,
                fds.errors,
                fds.directory,
                assignment_.warden_alive,
                assignment_.group};
  close_all_except(kept, sizeof kept / sizeof kept[0]);
  set_name(kSupervisorName);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);  // blocked since the warden's start, like every other signal
  child_signals_ = signalfd(-1, &child_ended, SFD_CLOEXEC | SFD_NONBLOCK);
  if (child_signals_ < 0) fail(Stage::fork, errno);

  Command command;
  command.open_files = assignment_.open_files;
  command.group = assignment_.group;
  if (!read_command(fds.command, assignment_.command_bytes, command)) fail(Stage::request, EPROTO);
  restrict(command);
  const std::int64_t started = now_millis();
  const Launch launched = launch(command, fds);
  if (launched.pid < 0) fail(launched.stage, launched.error_number);
  group_ = launched.is_in_group ? assignment_.group : -1;

  // Only the command holds its pipes from here on: their end is its end.
  int still_needed[] = {0, 1, 2, channel_, child_signals_, assignment_.warden_alive, group_};
  close_all_except(still_needed, sizeof still_needed / sizeof still_needed[0]);
  due_ = after(started, command.header->timeout_millis);
  timeout_grace_millis_ = command.header->grace_millis;
  daemon_patterns_ = command.daemons;
  report_.kind = ReportKind::started;
  report_.pid = launched.pid;
  send_report();
}

void Supervisor::restrict(Command& command) {
  if (command.header->restriction == Restriction::none) return;
  // Whatever is not understood is a refusal, never a command without its restriction.
  if (command.header->restriction != Restriction::read_only) fail(Stage::restriction, ENOSYS);
  if (assignment_.folder[0] == '\0') fail(Stage::request, EPROTO);
  static ReadOnly read_only;
  if (!read_only.prepare(command.header->landlock_version_max, assignment_.folder, command.writable_file)) {
    fail(Stage::restriction, errno);
  }
  command.read_only = &read_only;
  static char variable[sizeof "TMPDIR=" + kFolderPathBytesMax];
  std::snprintf(variable, sizeof variable, "TMPDIR=%s", assignment_.folder);
  set_variable(command, variable);
}

bool Supervisor::clear_folder() {
  const bool is_empty =
      assignment_.folder[0] == '\0' || empty_folder(assignment_.folder, now_millis() + kRemovalMillisMax);
  if (report_.cause == Cause::warden_lost) {  // nobody else will; of all supervisors the last one succeeds
    remove_with_empty_ones(assignment_.folders_of_warden);
    remove_with_empty_ones(assignment_.groups_of_warden);
  }
  return is_empty;
}

void Supervisor::step() {
  pollfd watched[] = {{.fd = child_signals_, .events = POLLIN, .revents = 0},
                      {.fd = channel_, .events = POLLIN, .revents = 0},
                      {.fd = assignment_.warden_alive, .events = POLLIN, .revents = 0}};
  int wait_millis = -1;
  if (due_ != kNever) {
    const std::int64_t left = due_ - now_millis();
    wait_millis = left <= 0 ? 0 : left < 1'000'000 ? static_cast<int>(left) + 1 : 1'000'000;
  }
  if (poll(watched, 3, wait_millis) < 0) return;
  if (watched[0].revents != 0) {
    on_child_signal();
    if (!children_left_) return;
  }
  if (watched[2].revents != 0) {
    report_.cause = Cause::warden_lost;
    finish();
  }
  if (watched[1].revents != 0) take_request();
  if (now_millis() >= due_) on_time();
}

// True: somebody is left.
bool Supervisor::reap() {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
    if (pid < 0) children_left_ = false;  // ECHILD: the only proof that nobody is left
    if (pid <= 0) return children_left_;
    ++reaped_count_;
    if (pid != report_.pid || command_ended_) continue;  // an orphan may get the number anew
    command_ended_ = true;
    report_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    report_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
}

void Supervisor::clear_child_signal() {
  signalfd_siginfo ignored{};
  [[maybe_unused]] const ssize_t got = read(child_signals_, &ignored, sizeof ignored);
}

void Supervisor::on_child_signal() {
  clear_child_signal();  // before looking: a child that ends meanwhile raises it anew
  if (!reap() || !command_ended_ || phase_ != Phase::running) return;
  phase_ = Phase::settling;
  due_ = now_millis() + kSettleMillis;
  settled_ = now_millis() + kSettleMillisMax;
  report_.kind = ReportKind::exited;
  send_report();
}

void Supervisor::take_request() {
  Request request;
  const ssize_t got = recv(channel_, &request, sizeof request, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got != sizeof request || request.magic != kProtocolMagic) request = Request{};  // deft is gone, or mad
  if (request.kind != RequestKind::set_timeout) return end_politely(Cause::request, request.millis);
  if (phase_ == Phase::running) due_ = after(now_millis(), request.millis);
}

void Supervisor::end_politely(Cause cause, std::uint64_t grace_millis) {
  if (phase_ == Phase::running) report_.cause = cause;
  if (grace_millis == 0) finish();
  if (phase_ != Phase::running) return;  // its last moments are counted already
  phase_ = Phase::polite;
  due_ = after(now_millis(), grace_millis);
  kill(-report_.pid, SIGTERM);
  kill(-report_.pid, SIGCONT);  // a stopped process would not notice
}

void Supervisor::on_time() {
  if (phase_ == Phase::running) return end_politely(Cause::timeout, timeout_grace_millis_);
  if (phase_ == Phase::settling && now_millis() < settled_) {
    descendants_.find(nullptr, 0);
    due_ = now_millis() + kSettleMillis;
    if (descendants_.anything_works()) return;
  }
  finish();
}

void Supervisor::end_descendants() {
  const std::int64_t give_up = now_millis() + kEndingMillisMax;
  if (children_left_) hurry();
  // What runs when a command is ended from outside is no surprise to anyone: only leftovers are named.
  const bool names_wanted = phase_ == Phase::settling;
  if (children_left_ && !names_wanted && end_at_once()) wait_for_ends();
  while (reap()) {
    Report* names = names_wanted && report_.leftover_count == 0 ? &report_ : nullptr;
    descendants_.sweep(kept_, kept_count_, give_up, names);
    if (kept_count_ > 0 && descendants_.count() == 0) return;
    const std::uint32_t alive = descendants_.alive_count();
    if ((alive > 0 && alive == descendants_.refused_count()) || now_millis() >= give_up) {
      report_.survivor_count = alive;
      return;
    }
    wait_for_ends();
  }
}

// One call ends most commands, and most fork bombs, whole. The number of the command is taken until we reap it, and so
// is its process group's.
bool Supervisor::end_at_once() {
  if (group_ >= 0 && kill_group(group_)) return group_is_spent_ = true;
  return !command_ended_ && kill(-report_.pid, SIGKILL) == 0;
}

// Killed processes end one after the other, and to look at thousands takes longer than to let them: so only when none
// has ended for a moment it is time for another look.
void Supervisor::wait_for_ends() {
  const int pause = reaps_itself_ ? kCrowdPauseMillis : kSweepPauseMillis;
  pollfd ended{.fd = child_signals_, .events = POLLIN, .revents = 0};
  while (reap() && poll(&ended, 1, pause) > 0) {
    clear_child_signal();
    // Among thousands of children each waitpid() searches for the one that has ended, and the exits wait for the
    // search. Who ignores SIGCHLD has no zombies.
    if (!command_ended_ || reaped_count_ < kReapedOneByOneMax || reaps_itself_) continue;
    reaps_itself_ = true;
    ignore_child_signals();
  }
}

void Supervisor::finish() {
  choose_daemons();
  end_descendants();
  name_daemons();
  const bool is_clear = clear_folder();
  report_.kind = ReportKind::ended;
  send_report();
  if (kept_count_ > 0) keep();
  if (report_.survivor_count > 0) _exit(kSupervisorLeftSurvivors);
  if (!is_clear) _exit(kSupervisorLeftFiles);
  _exit(group_is_spent_ ? kSupervisorKilledGroup : kSupervisorDone);
}

// Only what a command that ended by itself has left may stay. Nobody is stopped yet.
void Supervisor::choose_daemons() {
  if (phase_ != Phase::settling || report_.cause != Cause::itself || *daemon_patterns_ == nullptr) return;
  descendants_.find(nullptr, 0);
  kept_count_ = find_daemons(descendants_, daemon_patterns_, kept_);
}

void Supervisor::name_daemons() {
  report_.kept_count = static_cast<std::uint32_t>(kept_count_);
  for (std::size_t i = 0; i < kept_count_ && report_.named_count < kLeftoversNamedMax; ++i) {
    Leftover& kept = report_.named[report_.named_count++];
    kept.pid = kept_[i];
    kept.is_kept = 1;
    Descendants::read_name(kept.pid, kept.name);
  }
}

// The call is over, and nobody listens any more. What is still alive here has this process above it until its own end,
// or the warden's.
void Supervisor::keep() {
  int still_needed[] = {0, 1, 2, child_signals_, assignment_.warden_alive, group_};
  close_all_except(still_needed, sizeof still_needed / sizeof still_needed[0]);
  while (reap()) {
    pollfd watched[] = {{.fd = child_signals_, .events = POLLIN, .revents = 0},
                        {.fd = assignment_.warden_alive, .events = POLLIN, .revents = 0}};
    poll(watched, 2, -1);
    clear_child_signal();
    if (watched[1].revents == 0) continue;
    kept_count_ = 0;
    end_descendants();
    break;
  }
  _exit(kSupervisorDone);
}

void Supervisor::fail(Stage stage, int error_number) {
  report_.kind = ReportKind::failed;
  report_.stage = stage;
  report_.error_number = error_number;
  send_report();
  _exit(kSupervisorDone);
}

}  // namespace

void supervise(const Assignment& assignment, Descendants& descendants) { Supervisor(assignment, descendants).run(); }

}  // namespace warden
