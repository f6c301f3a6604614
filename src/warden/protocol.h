#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

// What deft and its warden say to each other. Both are built from this header and the warden travels inside deft, so
// the version only guards against a mistake. Everything is a fixed little structure in native byte order.
//
//   deft ── StartRequest + descriptors ──▶ warden        one SOCK_SEQPACKET pair for each deft process
//   deft ◀── Report ──────────── Request ──▶ supervisor   one SOCK_SEQPACKET pair ("channel") for each command
//
// deft talks to each command's supervisor directly, so one slow command never stands in another's way, and the end of
// either side is noticed by the other as the end of its socket. A channel carries, in this order: `started` or
// `failed`; `exited` if processes were left behind; `ended`. Instead of what is still missing, the warden answers
// `lost` if the supervisor was killed. Nothing after `failed`, `ended` or `lost`.

namespace warden {

inline constexpr std::uint32_t kProtocolMagic = 0x4e445257;
inline constexpr std::uint32_t kProtocolVersion = 1;

// A broad kill by deft's name must not hit the one who cleans up: neither name holds it. At most 15 characters.
inline constexpr char kWardenName[] = "shell-warden";
inline constexpr char kSupervisorName[] = "shell-keeper";

// What the warden finds open when it starts.
inline constexpr int kRequestsDescriptor = 3;
inline constexpr int kOwnerDescriptor = 4;  // a pidfd of the process that it serves; may be missing

inline constexpr std::size_t kCommandBytesMax = std::size_t{8} << 20;  // over what any kernel accepts by default
inline constexpr std::size_t kCommandsRunningMax = 4096;
inline constexpr std::size_t kLeftoversNamedMax = 16;
inline constexpr std::size_t kLeftoverNameBytesMax = 96;
inline constexpr std::size_t kTemporaryParentBytesMax = 240;

// Descriptors come in this order: channel, command, output, and then, each if its flag is set, input, errors,
// directory.
inline constexpr std::size_t kPassedMax = 6;
inline constexpr std::uint32_t kPassesInput = 1;      // else standard input is /dev/null
inline constexpr std::uint32_t kPassesErrors = 2;     // else standard error goes where the output goes
inline constexpr std::uint32_t kPassesDirectory = 4;  // else the directory is entered by its path
inline constexpr std::uint32_t kPassesAll = kPassesInput | kPassesErrors | kPassesDirectory;

// One that passes no descriptor and has no command says that a restricted one may come soon: what the first of them
// would wait for is made now.
struct StartRequest {
  std::uint32_t magic = kProtocolMagic;
  std::uint32_t version = kProtocolVersion;
  std::uint32_t passes = 0;
  std::uint32_t command_bytes = 0;  // length of the command's file
  // Not empty: the command is restricted and gets a temporary folder of its own, below this one if that can be.
  char temporary_parent[kTemporaryParentBytesMax] = {};
};

inline constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

// What the command's process gives up before it becomes the command. An unknown value fails the command: where a
// restriction was asked for, nothing runs without it.
enum class Restriction : std::uint32_t { none, read_only };

inline constexpr std::uint32_t kAnyLandlockVersion = ~std::uint32_t{0};

// The start of the command's file. After it come strings, each ended by a NUL: the program's path, the directory's path
// and that of the file which a restricted command may write (both may be empty), `argument_count` arguments,
// `variable_count` variables, `daemon_count` daemons; and nothing else.
struct CommandHeader {
  std::uint32_t magic = kProtocolMagic;
  std::uint32_t version = kProtocolVersion;
  std::uint32_t argument_count = 0;
  std::uint32_t variable_count = 0;
  std::uint64_t timeout_millis = kNoLimit;
  std::uint64_t grace_millis = 0;  // between the polite and the final end after a timeout
  std::uint64_t memory_bytes = kNoLimit;
  std::uint64_t processes = kNoLimit;
  std::uint64_t file_bytes = kNoLimit;
  std::uint64_t open_files = kNoLimit;
  Restriction restriction = Restriction::none;
  std::uint32_t landlock_version_max = kAnyLandlockVersion;  // tests pretend that the kernel is older
  std::uint32_t daemon_count = 0;
  std::uint32_t reserved = 0;
};

enum class RequestKind : std::uint32_t {
  end,          // SIGTERM to its process group, and after `millis` everything is killed. 0: at once
  set_timeout,  // it has `millis` from now on, kNoLimit: all the time it wants
};
struct Request {
  std::uint32_t magic = kProtocolMagic;
  RequestKind kind = RequestKind::end;
  std::uint64_t millis = 0;
};

enum class ReportKind : std::uint32_t { started, failed, exited, ended, lost };
// Where a command that never ran failed.
enum class Stage : std::uint32_t { none, proc, request, folder, fork, streams, limits, directory, restriction, exec };
// Who ended the command.
enum class Cause : std::uint32_t { itself, timeout, request, warden_lost };

struct Leftover {
  std::int32_t pid = 0;
  std::uint32_t is_kept = 0;              // a daemon, which was not ended
  char name[kLeftoverNameBytesMax] = {};  // ended by a NUL; bytes as hostile as the command
};

// Sent without the leftovers that are not named.
struct Report {
  std::uint32_t magic = kProtocolMagic;
  ReportKind kind = ReportKind::started;
  std::int32_t pid = 0;
  Stage stage = Stage::none;         // failed
  std::int32_t error_number = 0;     // failed
  std::int32_t exit_code = 0;        // exited, ended; meaningful if signal is 0
  std::int32_t signal = 0;           // exited, ended
  Cause cause = Cause::itself;       // ended
  std::uint32_t leftover_count = 0;  // ended: alive after the command's own end, now ended too
  std::uint32_t survivor_count = 0;  // ended: alive still, because we may not signal them or the kernel holds them
  std::uint32_t kept_count = 0;      // ended: daemons that the command asked to keep
  std::uint32_t named_count = 0;
  Leftover named[kLeftoversNamedMax];
};
inline constexpr std::size_t kReportBytesMin = offsetof(Report, named);

static_assert(std::is_trivially_copyable_v<StartRequest> && sizeof(StartRequest) == 16 + kTemporaryParentBytesMax);
static_assert(std::is_trivially_copyable_v<CommandHeader> && sizeof(CommandHeader) == 80);
static_assert(std::is_trivially_copyable_v<Request> && sizeof(Request) == 16);
static_assert(std::is_trivially_copyable_v<Report> && sizeof(Report) == 48 + 16 * 104);
static_assert(sizeof(kWardenName) <= 16 && sizeof(kSupervisorName) <= 16);

}  // namespace warden
