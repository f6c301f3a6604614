#include "warden/syscall_filter.h"

#include <cerrno>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "warden/syscall_rules.h"

// The rules, by number, become stretches of equal rules, and these a tree of comparisons: seven or eight for a call
// instead of hundreds. The kernel walks the filter once for every number when it is installed, so this is not for the
// calls alone.

namespace warden {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;  // x32 calls carry a bit above every known number
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "read the list of system calls (syscall_rules.h) with this processor's in view, and name it here"
#endif

constexpr std::uint32_t kLandlockKnowsTruncation = 3;
constexpr std::uint32_t kLandlockBoundsSignals = 6;

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kMissing = SECCOMP_RET_ERRNO | ENOSYS;
constexpr std::uint32_t kKill = SECCOMP_RET_KILL_PROCESS;

constexpr std::uint32_t kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t kSocketTypeMask = 0xf;  // the rest are flags
constexpr std::uint32_t kIoprioWhoProcess = 1;

// Terminals, pipes and files as they are. What sets something may not be asked of a file that is open for reading only:
// FS_IOC_SETFLAGS (chattr), snapshots of btrfs and many more would do it.
constexpr std::uint32_t kIoctlsThatAsk[] = {
    TCGETS,        TIOCGWINSZ,        TIOCGPGRP,  TIOCGSID,     TIOCOUTQ,        FIONREAD,          FIONBIO,
    FIOCLEX,       FIONCLEX,          FIOQSIZE,   FIGETBSZ,     FS_IOC_GETFLAGS, FS_IOC_GETVERSION, FS_IOC_FSGETXATTR,
    FS_IOC_FIEMAP, FS_IOC_GETFSLABEL, BLKGETSIZE, BLKGETSIZE64, BLKSSZGET,       BLKROGET};
// Numbers where the headers have no name yet.
constexpr std::uint32_t kFcntlsAllowed[] = {F_DUPFD,
                                            F_GETFD,
                                            F_SETFD,
                                            F_GETFL,
                                            F_SETFL,
                                            F_GETLK,
                                            F_SETLK,
                                            F_SETLKW,
                                            F_GETOWN,
                                            F_GETSIG,
                                            F_OFD_GETLK,
                                            F_OFD_SETLK,
                                            F_OFD_SETLKW,
                                            F_DUPFD_CLOEXEC,
                                            F_SETPIPE_SZ,
                                            F_GETPIPE_SZ,
                                            F_ADD_SEALS,
                                            F_GET_SEALS,
                                            F_GETLEASE,
                                            F_GETOWN_EX,
                                            F_GET_RW_HINT,
                                            F_GET_FILE_RW_HINT,
                                            1027 /* F_DUPFD_QUERY */,
                                            1028 /* F_CREATED_QUERY */};

class Compiler {
 public:
  Compiler(std::uint32_t landlock_version, SyscallFilter& filter) : version_(landlock_version), filter_(filter) {}

  bool compile() {
    lay_out_rules();
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    give(kKill);
    load(offsetof(seccomp_data, nr));
    compile_range(0, stretch_count_);
    return fits_;
  }

 private:
  struct Stretch {
    std::uint32_t first;
    Rule rule;
  };

  void lay_out_rules() {
    static Rule by_number[kSyscallKnownMax + 1];
    for (Rule& rule : by_number) rule = Rule::refuse;
    for (const SyscallRule& entry : kSyscallRules) by_number[entry.number] = entry.rule;
    for (std::uint32_t number = 0; number <= kSyscallKnownMax; ++number) {
      if (number == 0 || by_number[number] != by_number[number - 1]) add_stretch({number, by_number[number]});
    }
    add_stretch({kSyscallKnownMax + 1, Rule::missing});
  }
  void add_stretch(Stretch stretch) {
    if (stretch_count_ == kStretchesMax) {
      fits_ = false;
      return;
    }
    stretches_[stretch_count_++] = stretch;
  }

  void compile_range(std::size_t begin, std::size_t end) {
    if (end - begin == 1) return compile_rule(stretches_[begin].rule);
    const std::size_t middle = begin + (end - begin) / 2;
    const std::size_t branch = filter_.size;
    add(BPF_JMP | BPF_JGE | BPF_K, stretches_[middle].first);
    compile_range(begin, middle);
    const std::size_t distance = filter_.size - branch - 1;
    if (distance > UINT8_MAX) fits_ = false;
    filter_.code[branch].jt = static_cast<std::uint8_t>(distance);
    compile_range(middle, end);
  }

  // Every rule ends with a verdict.
  void compile_rule(Rule rule) {
    switch (rule) {
      case Rule::refuse: return give(kRefuse);
      case Rule::allow: return give(kAllow);
      case Rule::missing: return give(kMissing);
      case Rule::signal: return give(version_ >= kLandlockBoundsSignals ? kAllow : kRefuse);
      case Rule::openat2: return give(version_ >= kLandlockKnowsTruncation ? kAllow : kMissing);
      case Rule::kill:
        if (version_ >= kLandlockBoundsSignals) return give(kAllow);
        allow_if_argument_is(0, 0);  // the own process group
        allow_if_argument_is(1, 0);  // no signal
        return give(kRefuse);
      case Rule::clone:
        load_argument(0);
        add(BPF_JMP | BPF_JSET | BPF_K, kNewNamespaces, 0, 1);
        give(kRefuse);
        return give(kAllow);
      case Rule::open: return allow_open(1);
      case Rule::openat: return allow_open(2);
      case Rule::ioctl: return allow_values(1, kIoctlsThatAsk, sizeof kIoctlsThatAsk / sizeof kIoctlsThatAsk[0]);
      case Rule::fcntl: return allow_values(1, kFcntlsAllowed, sizeof kFcntlsAllowed / sizeof kFcntlsAllowed[0]);
      case Rule::socketpair:
        load_argument(0);
        unless_equal_skip(AF_UNIX, 6);
        load_argument(1);
        add(BPF_ALU | BPF_AND | BPF_K, kSocketTypeMask);
        unless_equal_skip(SOCK_STREAM, 1);
        give(kAllow);
        unless_equal_skip(SOCK_SEQPACKET, 1);
        give(kAllow);
        return give(kRefuse);
      case Rule::about_self: allow_if_argument_is(0, 0); return give(kRefuse);
      case Rule::limit:
        allow_if_argument_is(0, 0);
        load_argument(2);
        unless_equal_skip(0, 3);
        load_argument(2, /*high_half=*/true);
        unless_equal_skip(0, 1);
        give(kAllow);  // no new limit is given
        return give(kRefuse);
      case Rule::priority:
        load_argument(0);
        add(BPF_JMP | BPF_JEQ | BPF_K, PRIO_USER, 0, 1);
        give(kRefuse);  // would be every process of the user
        allow_if_argument_is(1, 0);
        return give(kRefuse);
      case Rule::input_output_class:
        load_argument(0);
        add(BPF_JMP | BPF_JEQ | BPF_K, kIoprioWhoProcess, 1, 0);
        give(kRefuse);
        allow_if_argument_is(1, 0);
        return give(kRefuse);
    }
  }

  // A file that is opened for reading can be truncated by the same call, and one that is opened for nothing (access
  // mode 3) as well. Opened for writing, it is Landlock's.
  void allow_open(unsigned flags_argument) {
    load_argument(flags_argument);
    add(BPF_JMP | BPF_JSET | BPF_K, O_TRUNC, 1, 0);
    give(kAllow);
    add(BPF_ALU | BPF_AND | BPF_K, O_ACCMODE);
    unless_equal_skip(O_WRONLY, 1);
    give(kAllow);
    unless_equal_skip(O_RDWR, 1);
    give(kAllow);
    give(kRefuse);
  }
  void allow_values(unsigned argument, const std::uint32_t* values, std::size_t count) {
    load_argument(argument);
    for (std::size_t i = 0; i < count; ++i) {
      add(BPF_JMP | BPF_JEQ | BPF_K, values[i], static_cast<std::uint8_t>(count - i), 0);
    }
    give(kRefuse);
    give(kAllow);
  }
  void allow_if_argument_is(unsigned argument, std::uint32_t value) {
    load_argument(argument);
    unless_equal_skip(value, 1);
    give(kAllow);
  }

  // All arguments looked at but one pointer are 32 bits wide for the kernel, whatever stands above them.
  void load_argument(unsigned argument, bool high_half = false) {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    load(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t) + (high_half ? 4 : 0));
  }
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  void unless_equal_skip(std::uint32_t value, std::uint8_t count) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count); }
  void give(std::uint32_t verdict) { add(BPF_RET | BPF_K, verdict); }
  void add(int code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    if (filter_.size == kFilterInstructionsMax) {
      fits_ = false;
      return;
    }
    filter_.code[filter_.size++] = sock_filter{static_cast<std::uint16_t>(code), if_true, if_false, value};
  }

  static constexpr std::size_t kStretchesMax = 256;
  const std::uint32_t version_;
  SyscallFilter& filter_;
  bool fits_ = true;
  std::size_t stretch_count_ = 0;
  Stretch stretches_[kStretchesMax];
};

}  // namespace

bool build_read_only_filter(std::uint32_t landlock_version, SyscallFilter& filter) {
  filter.size = 0;
  return Compiler(landlock_version, filter).compile();
}

bool install_filter(const SyscallFilter& filter) {
  const sock_fprog program{.len = filter.size, .filter = const_cast<sock_filter*>(filter.code)};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace warden
