#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

// What deft and its warden say to each other. Both are built from this header and the warden travels inside deft, so
// the version only guards against a mistake. Everything is a fixed little structure in native byte order.
//
//   deft ── StartRequest + descriptors ──▶ warden        one SOCK_SEQPACKET pair for each deft process
//   deft ◀── Report ─────────── EndRequest ──▶ supervisor   one SOCK_SEQPACKET pair ("channel") for each command
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

// Descriptors come in this order: channel, command, output, and then, each if its flag is set, input, errors,
// directory.
inline constexpr std::size_t kPassedMax = 6;
inline constexpr std::uint32_t kPassesInput = 1;      // else standard input is /dev/null
inline constexpr std::uint32_t kPassesErrors = 2;     // else standard error goes where the output goes
inline constexpr std::uint32_t kPassesDirectory = 4;  // else the directory is entered by its path
inline constexpr std::uint32_t kPassesAll = kPassesInput | kPassesErrors | kPassesDirectory;

struct StartRequest {
  std::uint32_t magic = kProtocolMagic;
  std::uint32_t version = kProtocolVersion;
  std::uint32_t passes = 0;
  std::uint32_t command_bytes = 0;  // length of the command's file
};

inline constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

// What the command's process gives up before it becomes the command. An unknown value fails the command: where a
// restriction was asked for, nothing runs without it.
enum class Restriction : std::uint32_t { none };

// The start of the command's file. After it come strings, each ended by a NUL: the program's path, the directory's path
// (may be empty), `argument_count` arguments, `variable_count` variables; and nothing else.
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
  std::uint32_t reserved = 0;
};

// "End it": SIGTERM to its process group, and after the grace everything is killed. No grace: at once.
struct EndRequest {
  std::uint32_t magic = kProtocolMagic;
  std::uint32_t reserved = 0;
  std::uint64_t grace_millis = 0;
};

enum class ReportKind : std::uint32_t { started, failed, exited, ended, lost };
// Where a command that never ran failed.
enum class Stage : std::uint32_t { none, proc, request, fork, streams, limits, directory, restriction, exec };
// Who ended the command.
enum class Cause : std::uint32_t { itself, timeout, request, warden_lost };

struct Leftover {
  std::int32_t pid = 0;
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
  std::uint32_t named_count = 0;
  Leftover named[kLeftoversNamedMax];
};
inline constexpr std::size_t kReportBytesMin = offsetof(Report, named);

static_assert(std::is_trivially_copyable_v<StartRequest> && sizeof(StartRequest) == 16);
static_assert(std::is_trivially_copyable_v<CommandHeader> && sizeof(CommandHeader) == 72);
static_assert(std::is_trivially_copyable_v<EndRequest> && sizeof(EndRequest) == 16);
static_assert(std::is_trivially_copyable_v<Report> && sizeof(Report) == 44 + 16 * 100);
static_assert(sizeof(kWardenName) <= 16 && sizeof(kSupervisorName) <= 16);

}  // namespace warden
