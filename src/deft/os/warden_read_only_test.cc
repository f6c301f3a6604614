// What a read-only command tries to change stays as it was: as root, as an ordinary user, and on a kernel whose
// Landlock is of version 2 (as Debian 12's is). Every attempt is first made without the restriction, where it has to
// succeed.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "deft/os/command_channel.h"
#include "deft/os/command_file.h"
#include "deft/os/warden_link.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/real_processes.h"

namespace deft {
namespace {

using testing::as_nobody;

// Where nothing restricts it. Some need rights or a kernel that not everybody has; one would hit bystanders.
enum class Alone { works, may_fail, not_tried };

struct Attempt {
  const char* name;
  std::string perl;  // an expression that is true if it succeeded. $file, $dir … are the world's (below)
  Alone alone = Alone::works;
};

std::string call(long number, const std::string& arguments) {
  return "syscall(" + std::to_string(number) + ", " + arguments + ") >= 0";
}

// Each in a process of its own, in a world of its own.
const std::vector<Attempt>& attempts() {
  constexpr long kFchmodat2 = 452, kSetxattrat = 463, kFileSetattr = 469, kIoUringSetup = 425;
  const std::string truncate_flags = std::to_string(O_RDONLY | O_TRUNC);
  const std::string truncate_nothing = std::to_string(O_ACCMODE | O_TRUNC);
  const std::string set_flags = std::to_string(0x40086602);  // FS_IOC_SETFLAGS
  static const std::vector<Attempt> list = {
      {"write", "open(F, '>', $file) and print F 'x' and close F"},
      {"append", "open(F, '>>', $file) and print F 'x' and close F"},
      {"overwrite", "open(F, '+<', $file) and print F 'x' and close F"},
      {"truncate", "truncate($file, 0)"},
      {"truncate_call", call(SYS_truncate, "$file, 0")},
      {"open_truncating", call(SYS_openat, "-100, $file, " + truncate_flags + ", 0")},
      {"open_truncating_for_nothing", call(SYS_openat, "-100, $file, " + truncate_nothing + ", 0")},
      {"openat2_truncating", call(SYS_openat2, "-100, $file, bytes('QQQ', " + truncate_flags + ", 0, 0), 24")},
      {"unlink", "unlink($file)"},
      {"rename", "rename($file, \"$dir/new\")"},
      {"rename_over", "rename(\"$dir/other\", $file)"},
      {"rename_away", "rename($file, \"$tmp/new\")", Alone::may_fail},
      {"link", "link($file, \"$dir/new\")"},
      {"link_away", "link($file, \"$tmp/new\")", Alone::may_fail},
      {"symlink", "symlink('x', \"$dir/new\")"},
      {"mkdir", "mkdir(\"$dir/new\")"},
      {"rmdir", "rmdir(\"$dir/folder\")"},
      {"fifo", call(SYS_mknodat, "-100, \"$dir/new\", 0010600, 0")},
      {"device", call(SYS_mknodat, "-100, \"$dir/new\", 0020600, 259"), Alone::may_fail},
      {"make_file_in_shared_memory", "open(F, '>', \"/dev/shm/deft-$$\") and unlink(\"/dev/shm/deft-$$\")"},
      {"through_proc_fd", "open(R, '<', $file) and open(F, '>', '/proc/self/fd/' . fileno(R))"},
      {"chmod", "chmod(0777, $file)"},
      {"fchmod", "open(R, '<', $file) and chmod(0777, *R)"},
      {"fchmodat", call(SYS_fchmodat, "-100, $file, 0777")},
      {"fchmodat2", call(kFchmodat2, "-100, $file, 0777, 0"), Alone::may_fail},
      {"chown", "chown($>, $)+0, $file)"},
      {"lchown", call(SYS_fchownat, "-100, $file, $>+0, $)+0, 256")},
      {"fchown", "open(R, '<', $file) and chown($>, $)+0, *R)"},
      {"utime", "utime(1, 1, $file)"},
      {"utimensat", call(SYS_utimensat, "-100, $file, bytes('qqqq', 1, 0, 1, 0), 0")},
      {"futimens", "open(R, '<', $file) and " + call(SYS_utimensat, "fileno(R), 0, bytes('qqqq', 1, 0, 1, 0), 0")},
      {"setxattr", call(SYS_setxattr, "$file, text('user.x'), text('y'), 1, 0"), Alone::may_fail},
      {"fsetxattr", "open(R, '<', $file) and " + call(SYS_fsetxattr, "fileno(R), text('user.x'), text('y'), 1, 0"),
       Alone::may_fail},
      {"removexattr", call(SYS_removexattr, "$file, text('user.was')"), Alone::may_fail},
      {"setxattrat", call(kSetxattrat, "-100, $file, 0, text('user.x'), bytes('PLL', text('y'), 1, 0), 16"),
       Alone::may_fail},
      {"file_setattr", call(kFileSetattr, "-100, $file, bytes('QLLLL', 0x80, 0, 0, 0, 0), 24, 0"), Alone::may_fail},
      {"chattr", "open(R, '<', $file) and ioctl(R, " + set_flags + ", bytes('q', 0x40))", Alone::may_fail},
      {"lease", "open(R, '<', $file) and fcntl(R, 1024, 0)", Alone::may_fail},
      {"socket_inet", "socket(S, 2, 1, 0)"},
      {"socket_udp", "socket(S, 2, 2, 0)"},
      {"socket_inet6", "socket(S, 10, 1, 0)", Alone::may_fail},
      {"socket_unix", "socket(S, 1, 1, 0)"},
      {"socket_unix_datagram", "socket(S, 1, 2, 0)"},
      {"socket_netlink", "socket(S, 16, 3, 0)"},
      {"socket_packet", "socket(S, 17, 3, 0)", Alone::may_fail},
      {"connect", "socket(S, 1, 1, 0) and connect(S, bytes('Sa*x', 1, \"$dir/socket\"))"},
      {"datagram_through_a_pair",
       "socketpair(A, B, 1, 2, 0) and send(A, 'x', 0, bytes('Sa*x', 1, \"$dir/datagrams\"))"},
      {"io_uring", call(kIoUringSetup, "1, \"\\0\" x 120"), Alone::may_fail},
      {"ptrace", call(SYS_ptrace, "16, $target, 0, 0"), Alone::may_fail},
      {"memory_of_another", "open(F, '+<', \"/proc/$target/mem\")"},
      {"write_memory_of_another", call(SYS_process_vm_writev, "$target, bytes('PQ', text('x'), 1), 1, 0, 0, 0")},
      {"descriptor_of_another", "open(F, '>', \"/proc/$target/fd/1\")"},
      {"take_descriptor_of_another", "($p = syscall(" + std::to_string(SYS_pidfd_open) + ", $target, 0)) >= 0 and " +
                                         call(SYS_pidfd_getfd, "$p, 1, 0")},
      {"kill", "kill('WINCH', $target)"},
      {"kill_group", "kill('-WINCH', $target)"},
      {"tgkill", call(SYS_tgkill, "$target, $target, 28")},
      {"sigqueue", call(SYS_rt_sigqueueinfo, "$target, 28, bytes('lllllx108', 28, 0, -1, $$, $>)")},
      {"pidfd_signal", "($p = syscall(" + std::to_string(SYS_pidfd_open) + ", $target, 0)) >= 0 and " +
                           call(SYS_pidfd_send_signal, "$p, 28, 0, 0")},
      {"owner_of_signals", "open(R, '<', $file) and fcntl(R, 8, $target)"},
      {"nice_another", "setpriority(0, $target, 19)"},
      {"nice_all", "setpriority(2, 0, 19)", Alone::not_tried},
      {"ioprio_another", call(SYS_ioprio_set, "1, $target, (2 << 13) | 5")},
      {"affinity_of_another", call(SYS_sched_setaffinity, "$target, 8, bytes('Q', ~0)")},
      {"limit_of_another", call(SYS_prlimit64, "$target, 0, bytes('QQ', ~0, ~0), 0")},
      {"keyctl", call(SYS_keyctl, "0, -3, 1"), Alone::may_fail},
      {"add_key", call(SYS_add_key, "text('user'), text('deft'), text('x'), 1, -2"), Alone::may_fail},
      {"shmget", "$id = shmget(0, 4096, 0600); defined $id and shmctl($id, 0, 0)"},
      {"semget", "$id = semget(0, 1, 0600); defined $id and semctl($id, 0, 0, 0)"},
      {"msgget", "$id = msgget(0, 0600); defined $id and msgctl($id, 0, 0)"},
      {"mq_open",
       call(SYS_mq_open, "text('deft-test-') . $$, 0102, 0600, 0") + " and " +
           call(SYS_mq_unlink, "text('deft-test-') . $$"),
       Alone::may_fail},
      {"unshare", call(SYS_unshare, "0x10000000"), Alone::may_fail},
      {"clone_namespace",
       "$p = syscall(" + std::to_string(SYS_clone) +
           ", 0x10000011, 0, 0, 0, 0); $p == 0 and "
           "POSIX::_exit(0); $p > 0",
       Alone::may_fail},
      {"clone3", call(SYS_clone3, "0, 0"), Alone::may_fail},
      {"mount", call(SYS_mount, "text('none'), $dir, text('tmpfs'), 0, 0"), Alone::not_tried},
      {"new_mount_interface", call(SYS_fsopen, "text('tmpfs'), 0"), Alone::may_fail},
      {"open_by_handle", call(SYS_open_by_handle_at, "0, 0, 0"), Alone::may_fail},
      {"bpf", call(SYS_bpf, "0, bytes('LLLLx112', 2, 4, 4, 1), 128"), Alone::may_fail},
      {"perf", call(SYS_perf_event_open, "bytes('LLx120', 1, 128), 0, -1, -1, 0"), Alone::may_fail},
      {"userfaultfd", call(SYS_userfaultfd, "1"), Alone::may_fail},
      {"hostname", call(SYS_sethostname, "text('x'), -1"), Alone::may_fail},
      {"system_setting", "open(F, '+<', '/proc/sys/kernel/printk')", Alone::may_fail},
      {"block_device", "open(F, '+<', (glob('/dev/vd?'), glob('/dev/sd?'), '/nowhere')[0])", Alone::may_fail},
#if defined(__x86_64__)
      {"x32", call(0x40000000 + SYS_chmod, "$file, 0777"), Alone::may_fail},
#endif
  };
  return list;
}

// What has to work: the restriction is no reason to fail for who only reads.
const std::vector<Attempt> kHarmless = {
    {"read", "open(F, '<', $file) and <F> eq 'content'"},
    {"list", "opendir(D, $dir) and (() = readdir(D)) > 3"},
    {"stat", "(stat($file))[7] == 7"},
    {"xattr", "syscall(" + std::to_string(SYS_getxattr) + ", $file, text('user.none'), 0, 0) < 0 and $! != 1"},
    {"null", "open(F, '>', '/dev/null') and print F 'x' and close F"},
    {"zero", "open(F, '>>', '/dev/zero') and print F 'x' and close F"},
    {"own_output", "open(F, '>', '/dev/fd/1')"},
    {"temporary_file", "open(F, '>', \"$tmp/a\") and print F 'x' and truncate(F, 0) and unlink(\"$tmp/a\")"},
    {"temporary_folder",
     "mkdir(\"$tmp/a\") and mkdir(\"$tmp/b\") and symlink('x', \"$tmp/a/c\") and "
     "rename(\"$tmp/a/c\", \"$tmp/b/d\") and unlink(\"$tmp/b/d\") and rmdir(\"$tmp/a\")"},
    {"pair", "socketpair(A, B, 1, 1, 0) and syswrite(A, 'x') and sysread(B, $x, 1)"},
    {"lock", "open(F, '<', $file) and flock(F, 1)"},
    {"child", "$p = fork(); $p == 0 and exec('sleep', 1000); waitpid($p, 1); kill(0, $p)"},
    {"own_group", "local $SIG{TERM} = 'IGNORE'; kill('TERM', 0)"},
    {"nice_itself", "setpriority(0, 0, getpriority(0, 0) + 1)"},
    {"program_in_memory", "($m = syscall(" + std::to_string(SYS_memfd_create) +
                              ", text('x'), 0)) >= 0 and open(F, '>&=', $m) and open(T, '<', '/bin/true') and "
                              "do { binmode F; local $/; print F <T>; F->flush } and "
                              "system(\"/proc/$$/fd/$m\") == 0"},
    {"isatty", "not -t STDOUT"},
    {"processes", "`ps -e | wc -l` > 1"},
};

// The command that makes all attempts and prints a line for each: NAME and how its process ended, 0 if it succeeded.
std::string script_of(const std::vector<Attempt>& list, const std::string& dir, int target) {
  std::string script =
      "use POSIX (); use IO::Handle; $| = 1;\n"
      "$SIG{TERM} = 'IGNORE';\n"
      "sub text { my $text = shift; return $text; }\n"
      "sub bytes { my $bytes = pack(shift, @_); return $bytes; }\n"
      "our ($tmp, $dir, $file, $target) = ($ENV{TMPDIR}, '" +
      dir + "', '', " + std::to_string(target) +
      ");\n"
      "sub attempt { my ($name, $code) = @_; $dir = '" +
      dir +
      "/' . $name; $file = $dir . '/file';\n"
      "  my $pid = fork(); if ($pid == 0) { open(STDERR, '>', '/dev/null'); POSIX::_exit($code->() ? 0 : 1); }\n"
      "  waitpid($pid, 0); print \"$name $?\\n\"; }\n";
  for (const Attempt& attempt : list)
    script += "attempt('" + std::string(attempt.name) + "', sub { " + attempt.perl + " });\n";
  return script;
}

std::map<std::string, std::string> outcomes_of(const std::string& output) {
  std::map<std::string, std::string> outcomes;
  std::istringstream lines(output);
  for (std::string name, status; lines >> name >> status;) outcomes[name] = status;
  return outcomes;
}

// A folder for each attempt, that belongs to whoever makes them.
class World {
 public:
  explicit World(const std::vector<Attempt>& list) {
    std::string pattern = ::testing::TempDir() + "read-only-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
    for (const Attempt& attempt : list) furnish(path_ + "/" + attempt.name);
    give_to_nobody(path_);
  }
  ~World() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  // Names, and for each all that a change would change: the time of the last change of its inode is among it.
  std::map<std::string, std::string> state() const {
    std::map<std::string, std::string> state;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
      struct stat found{};
      ::lstat(entry.path().c_str(), &found);
      std::ostringstream text;
      text << found.st_ino << ' ' << found.st_mode << ' ' << found.st_uid << ' ' << found.st_gid << ' '
           << found.st_nlink << ' ' << found.st_size << ' ' << found.st_mtim.tv_sec << '.' << found.st_mtim.tv_nsec
           << ' ' << found.st_ctim.tv_sec << '.' << found.st_ctim.tv_nsec;
      state[entry.path()] = text.str();
    }
    return state;
  }

 private:
  void furnish(const std::string& dir) {
    std::filesystem::create_directories(dir + "/folder");
    std::ofstream(dir + "/file") << "content";
    std::ofstream(dir + "/other") << "other";
    if (dir.ends_with("connect")) add_socket(dir + "/socket", SOCK_STREAM);
    if (dir.ends_with("pair")) add_socket(dir + "/datagrams", SOCK_DGRAM);
  }
  void add_socket(const std::string& path, int type) {
    const UniqueFd& socket = sockets_.emplace_back(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
    struct {
      sa_family_t family = AF_UNIX;
      char path[108] = {};
    } address;
    path.copy(address.path, sizeof address.path - 1);
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("no socket at " + path);
    }
    ::listen(socket.get(), 1);
  }
  static void give_to_nobody(const std::string& path) {
    if (::geteuid() != 0) return;
    if (::chown(path.c_str(), 65534, 65534) != 0) throw std::runtime_error("no chown");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (::lchown(entry.path().c_str(), 65534, 65534) != 0) throw std::runtime_error("no chown");
    }
  }

  std::string path_;
  std::vector<UniqueFd> sockets_;
};

// Somebody else of the same user.
class Target {
 public:
  Target() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) ::dup2(ends[1], 1);
    ::close(ends[pid_ == 0 ? 1 : 0]);
    if (pid_ > 0) ::close(ends[1]);
    if (pid_ > 0) ::setpgid(pid_, pid_);
    if (pid_ != 0) return;
    for (;;) ::pause();
  }
  ~Target() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  int pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

struct Outcome {
  Result<CommandEnd> end;
  std::string output;
};

// As WardenProcesses does it, but with a header of the test's own: there alone can the kernel's version be masked.
Outcome run_with(WardenLink& link, const Command& command, std::uint32_t landlock_version_max) {
  auto file = encode_command(command, command.argv.front(), std::nullopt);
  if (!file) return {std::unexpected(file.error()), ""};
  warden::CommandHeader header;
  std::memcpy(&header, file->data(), sizeof header);
  header.landlock_version_max = landlock_version_max;
  std::memcpy(file->data(), &header, sizeof header);

  int pair[2];
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0 || ::pipe2(ends, O_CLOEXEC) != 0) std::abort();
  CommandChannel channel(UniqueFd{pair[0]}, command.argv.front(), "/");
  UniqueFd theirs(pair[1]);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const UniqueFd memory(::memfd_create("test", MFD_CLOEXEC));
  if (::write(memory.get(), file->data(), file->size()) != static_cast<ssize_t>(file->size())) std::abort();
  warden::StartRequest request{.command_bytes = static_cast<std::uint32_t>(file->size())};
  if (command.restriction != Restriction::none) std::strcpy(request.temporary_parent, "/tmp");
  const auto sent = link.send(request, std::vector{theirs.get(), memory.get(), write_end.get()});
  if (!sent) return {std::unexpected(sent.error()), ""};
  theirs.reset();
  write_end.reset();
  Outcome outcome{CommandEnd{}, ""};
  char part[4096];
  for (ssize_t got = 0; (got = ::read(read_end.get(), part, sizeof part)) > 0;) {
    outcome.output.append(part, static_cast<std::size_t>(got));
  }
  testing::eventually([&] {
    channel.receive();
    return channel.outcome().has_value();
  });
  outcome.end = channel.outcome().value_or(fail(Errc::timeout, "no outcome"));
  return outcome;
}

Command perl(std::string script, Restriction restriction) {
  return Command{.argv = {"/usr/bin/perl", "-e", std::move(script)},
                 .environment = {"PATH=/usr/bin:/bin", "TMPDIR=/tmp"},
                 .restriction = restriction};
}

enum class Who { root, nobody };
struct Place {
  const char* name;
  Who who;
  std::uint32_t landlock_version_max;
};

class ReadOnly : public ::testing::TestWithParam<Place> {
 protected:
  static std::string run_as(Who who, const std::function<std::string()>& work) {
    return who == Who::nobody ? as_nobody(work) : work();
  }
  std::map<std::string, std::string> attempt(const std::vector<Attempt>& list, const World& world,
                                             Restriction restriction) {
    const Place& place = GetParam();
    return outcomes_of(run_as(place.who, [&] {
      const Target target;
      WardenLink link;
      const auto outcome =
          run_with(link, perl(script_of(list, world.path(), target.pid()), restriction), place.landlock_version_max);
      return outcome.end ? outcome.output : outcome.end.error().message;
    }));
  }
};

class Unrestricted : public ReadOnly {};

TEST_P(ReadOnly, NoAttemptToChangeAnythingSucceeds) {
  const World world(attempts());
  const auto before = world.state();
  const auto outcomes = attempt(attempts(), world, Restriction::read_only);
  EXPECT_EQ(world.state(), before);
  for (const Attempt& attempt : attempts()) {
    const auto outcome = outcomes.find(attempt.name);
    ASSERT_NE(outcome, outcomes.end()) << attempt.name;
    EXPECT_NE(outcome->second, "0") << attempt.name;
  }
}

// Without this the other test could not fail.
TEST_P(Unrestricted, TheSameAttemptsSucceedWithoutTheRestriction) {
  const World world(attempts());
  std::vector<Attempt> list = attempts();
  std::erase_if(list, [](const Attempt& attempt) { return attempt.alone == Alone::not_tried; });
  const auto outcomes = attempt(list, world, Restriction::none);
  for (const Attempt& attempt : list) {
    const auto outcome = outcomes.find(attempt.name);
    ASSERT_NE(outcome, outcomes.end()) << attempt.name;
    if (attempt.alone != Alone::works) continue;
    EXPECT_EQ(outcome->second, "0") << attempt.name;
  }
}

TEST_P(ReadOnly, WhatChangesNothingOutsideWorks) {
  const World world(kHarmless);
  const auto before = world.state();
  const auto outcomes = attempt(kHarmless, world, Restriction::read_only);
  for (const Attempt& attempt : kHarmless) {
    const auto outcome = outcomes.find(attempt.name);
    ASSERT_NE(outcome, outcomes.end()) << attempt.name;
    EXPECT_EQ(outcome->second, "0") << attempt.name;
  }
  EXPECT_EQ(world.state(), before);
}

TEST_P(ReadOnly, EverydayReadingWorks) {
  struct Everyday {
    const char* script;
    const char* output;  // its end
  };
  const Everyday everyday[] = {
      {"ls -la / | head -n 1 | cut -d' ' -f1", "total\n"},
      {"cat /etc/passwd | grep -c ^root:", "1\n"},
      {"grep -rl nobody /etc/passwd /etc/group", "/etc/passwd\n"},
      {"find /etc -maxdepth 1 -name passwd", "/etc/passwd\n"},
      {"seq 30000 | sort -n -S 16k -r | tail -n 1", "1\n"},  // sorts in temporary files
      {"cat <<END\nhere\nEND", "here\n"},
      {"x=$(head -c 100000 /dev/zero | tr '\\0' x); wc -c <<< $x", "100001\n"},  // in a temporary file
      {"cat <(echo one) <(echo two)", "one\ntwo\n"},
      {"echo through > >(cat); wait $!", "through\n"},
      {"echo x | tee /dev/null /dev/stderr 2>&1 | wc -l", "2\n"},
      {"f=$(mktemp) && echo text > $f && cat $f && [[ $f == $TMPDIR/* ]] && echo private", "text\nprivate\n"},
      {"[[ $TMPDIR -ef /tmp ]] || stat -c %a $TMPDIR", "700\n"},
      {"ps -o comm= -p $$ | cat", "bash\n"},
      {"timeout 20 true && time true 2>/dev/null; nice true; echo $?", "0\n"},
      {"(exit 3) & wait $!; echo $?", "3\n"},
      {"ulimit -c; test -t 1 || df / > /dev/null; echo $?", "0\n0\n"},
      {"printf 'b\\na\\n' | xargs -n1 echo | sort | head -n1", "a\n"},
      {"perl -e 'print join(\",\", map { $_ * 2 } 1..3), \"\\n\"'", "2,4,6\n"},
      {"awk 'BEGIN { print 6 * 7 | \"cat\" }'", "42\n"},
  };
  const auto text = run_as(GetParam().who, [&]() -> std::string {
    WardenLink link;
    for (const Everyday& line : everyday) {
      Command command{.argv = {"/bin/bash", "--noprofile", "--norc", "-c", line.script},
                      .environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"},
                      .restriction = Restriction::read_only};
      const auto outcome = run_with(link, command, GetParam().landlock_version_max);
      if (!outcome.end) return std::string(line.script) + ": " + outcome.end.error().message;
      if (!outcome.output.ends_with(line.output)) return std::string(line.script) + ": " + outcome.output;
    }
    return "all";
  });
  EXPECT_EQ(text, "all");
}

TEST_P(ReadOnly, GitShowsARepositoryAndLeavesItAlone) {
  const World world({kHarmless.front()});
  const std::string repository = world.path() + "/read";
  const auto git = [&](const std::string& script, Restriction restriction) {
    return run_as(GetParam().who, [&]() -> std::string {
      const Command command{.argv = {"/bin/bash", "--noprofile", "--norc", "-c", script},
                            .environment = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1",
                                            "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory",
                                            "GIT_CONFIG_VALUE_0=*", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat"},
                            .directory = repository,
                            .restriction = restriction};
      WardenLink link;
      const auto outcome = run_with(link, command, GetParam().landlock_version_max);
      return outcome.end ? outcome.output : outcome.end.error().message;
    });
  };
  EXPECT_EQ(git("git init -q && git add file && "
                "git -c user.name=t -c user.email=t@example.org commit -q -m first && echo more >> file",
                Restriction::none),
            "");
  const auto before = world.state();
  EXPECT_EQ(git("git status --short; git log --format=%s; git diff --stat | cat; git show --stat --format= | cat",
                Restriction::read_only),
            " M file\n?? other\nfirst\n file | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n"
            " file | 1 +\n 1 file changed, 1 insertion(+)\n");
  EXPECT_EQ(world.state(), before);
}

std::vector<Place> places() {
  std::vector<Place> list = {{"User", Who::nobody, warden::kAnyLandlockVersion}, {"UserOnAnOldKernel", Who::nobody, 2}};
  if (::geteuid() == 0) {
    list.push_back({"Root", Who::root, warden::kAnyLandlockVersion});
    list.push_back({"RootOnAnOldKernel", Who::root, 2});
  }
  return list;
}
INSTANTIATE_TEST_SUITE_P(Places, ReadOnly, ::testing::ValuesIn(places()),
                         [](const auto& test) { return std::string(test.param.name); });

std::vector<Place> places_on_this_kernel() {
  std::vector<Place> list = places();
  std::erase_if(list, [](const Place& place) { return place.landlock_version_max != warden::kAnyLandlockVersion; });
  return list;
}
INSTANTIATE_TEST_SUITE_P(Places, Unrestricted, ::testing::ValuesIn(places_on_this_kernel()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ReadOnlyCommand, WhereTheKernelHasNoLandlockNothingRuns) {
  WardenLink link;
  const auto outcome = run_with(link, perl("print 'ran'", Restriction::read_only), /*landlock_version_max=*/0);
  ASSERT_FALSE(outcome.end);
  EXPECT_EQ(outcome.end.error().code, Errc::unsupported);
  EXPECT_EQ(outcome.output, "");
}

#if defined(__x86_64__)
// The calls of 32-bit programs have numbers of their own, and a 64-bit program can make them too.
class ForeignCall {
 public:
  // A program that calls chmod(`victim`, 0777) so.
  ForeignCall(const std::string& path, const std::string& victim) : path_(path) {
    constexpr std::uint32_t kBase = 0x400000;
    constexpr std::size_t kHeaders = 64 + 56;
    std::string code = "\xb8\x0f";  // mov eax, 15: chmod
    code.append("\0\0\0\xbb", 4);   // mov ebx, the path
    code.append(bytes_of(static_cast<std::uint32_t>(kBase + kHeaders + kCodeBytes)));
    code.append("\xb9\xff\x01\0\0\xcd\x80", 7);        // mov ecx, 0777; int 0x80
    code.append("\xb8\x01\0\0\0\x31\xdb\xcd\x80", 9);  // exit(0)
    code.append(victim).push_back('\0');
    std::string file(
        "\x7f"
        "ELF\x02\x01\x01",
        7);
    file.resize(16);
    file += bytes_of(std::uint16_t{2}) + bytes_of(std::uint16_t{62}) + bytes_of(std::uint32_t{1});
    file += bytes_of(std::uint64_t{kBase + kHeaders}) + bytes_of(std::uint64_t{64}) + bytes_of(std::uint64_t{0});
    file += bytes_of(std::uint32_t{0}) + bytes_of(std::uint16_t{64}) + bytes_of(std::uint16_t{56});
    file += bytes_of(std::uint16_t{1}) + std::string(6, '\0');
    file += bytes_of(std::uint32_t{1}) + bytes_of(std::uint32_t{5}) + bytes_of(std::uint64_t{0});
    file += bytes_of(std::uint64_t{kBase}) + bytes_of(std::uint64_t{kBase});
    file += bytes_of(std::uint64_t{kHeaders + code.size()}) + bytes_of(std::uint64_t{kHeaders + code.size()});
    file += bytes_of(std::uint64_t{4096}) + code;
    std::ofstream(path_) << file;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  ~ForeignCall() { std::filesystem::remove(path_); }

 private:
  static constexpr std::size_t kCodeBytes = 5 + 5 + 5 + 2 + 5 + 2 + 2;
  template <class Number>
  static std::string bytes_of(Number number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
  }
  std::string path_;
};

TEST(ReadOnlyCommand, TheCallsOfAForeignAbiEndIt) {
  const std::string victim = ::testing::TempDir() + "foreign-victim-" + std::to_string(::getpid());
  const std::string program = ::testing::TempDir() + "foreign-call-" + std::to_string(::getpid());
  std::ofstream(victim) << "content";
  std::filesystem::permissions(victim, std::filesystem::perms::owner_read);
  const ForeignCall foreign(program, victim);
  WardenLink link;
  Command command{.argv = {program}, .restriction = Restriction::read_only};
  const auto outcome = run_with(link, command, warden::kAnyLandlockVersion);
  ASSERT_TRUE(outcome.end) << outcome.end.error().message;
  EXPECT_EQ(outcome.end->signal, SIGSYS);
  EXPECT_EQ(std::filesystem::status(victim).permissions(), std::filesystem::perms::owner_read);
  std::filesystem::remove(victim);
}
#endif

}  // namespace
}  // namespace deft
