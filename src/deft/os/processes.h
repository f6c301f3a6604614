#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/result.h"

// The seam to other programs. Whatever is started here is owned to its last descendant: when a command has ended, by
// itself or not, nothing of it is alive, whatever it did to get away. Every call may be made from any thread, many at
// once; one slow command or reader never holds up another.

namespace deft {

// How long a command that is ended politely has between SIGTERM and SIGKILL.
inline constexpr Duration kEndGrace = std::chrono::milliseconds(500);
inline constexpr Duration kEndGraceMax = std::chrono::minutes(10);     // more is cut to this
inline constexpr Duration kTimeoutMax = std::chrono::hours(24 * 365);  // a later deadline is none

// What the command and each of its children may use; both the soft and the hard limit. Nothing: what deft has itself.
struct CommandLimits {
  std::optional<std::uint64_t> memory_bytes{};  // writable memory, per process
  std::optional<std::uint64_t> processes{};     // of the whole user, as the kernel counts; root has no such limit
  std::optional<std::uint64_t> file_bytes{};    // size of a file that it writes
  std::optional<std::uint64_t> open_files{};
};

enum class Restriction {
  none,
  // It can't change anything: it writes only to /dev/null and its like and below a private temporary folder (TMPDIR in
  // its environment, emptied when it ends), changes no mode, owner, time or attribute of a file, opens no socket,
  // signals and controls nobody else, and gains no right by what it runs. Reading is as ever. What it tries otherwise
  // fails with "Permission denied" or "Operation not permitted". Where the kernel can't do that: error `unsupported`,
  // nothing runs.
  read_only,
};

struct Command {
  // The program and its arguments. A program without a slash is looked up in the PATH of `environment`, in absolute
  // directories only: never in the working directory.
  std::vector<std::string> argv{};
  std::vector<std::string> environment{};  // NAME=VALUE: exactly what the command gets (environment.h)
  std::string directory{};                 // absolute; empty: deft's own
  int directory_fd = -1;                   // an open directory instead of a path, for who has checked it; not owned
  std::string input{};                     // what it reads on standard input; empty: nothing, as /dev/null
  bool input_pipe = true;                  // start() only: Child::write() feeds it instead
  bool separate_errors = false;            // standard error apart, else merged with the output in order
  Duration end_grace = kEndGrace;          // after a timeout or a cancel
  CommandLimits limits{};
  Restriction restriction = Restriction::none;
  std::string writable_file{};  // absolute, exists: the one file that a restricted command may write all the same
  // What may stay when the command has ended by itself, such as build daemons: it lives on until these Processes end
  // (or are killed), and then ends too. A name means the program of that name ("gpg-agent"); with a * in it, a whole
  // command line ("*org.gradle.launcher.daemon*"). All that such a process has started stays with it. Its output
  // goes nowhere: who still writes to the command's pipe finds it broken.
  std::vector<std::string> daemons{};
};

enum class OutputStream { output, errors };
// Raw bytes as they arrive, at most 64 kB at a time, on the thread that called run(). While it is busy the command
// waits once the pipe is full; timeouts and cancels work all the same.
using OutputSink = std::function<void(OutputStream, std::string_view)>;

// Deadlines and graces are in the time that the machine was awake: what is suspended loses none of its time, and a
// clock that is set changes nothing. Ctrl-Z and SIGHUP are meant for deft: commands, in sessions of their own, get
// neither. While deft is stopped they run on, until a pipe that nobody reads is full, and are ended at their deadline;
// deft's end by a SIGHUP, as by any other signal, ends them all.
struct RunUntil {
  std::stop_token cancel{};             // SIGTERM, end_grace, then everything is killed
  std::stop_token abort{};              // everything is killed at once
  std::optional<TimePoint> deadline{};  // as cancel
};

// A process that was still alive when the command itself had ended. It was killed, unless it was to be kept.
struct Leftover {
  int pid = 0;
  std::string name{};  // the start of its command line, printable
};

enum class CommandLimit { file_size };

struct CommandEnd {
  enum class Cause { itself, timeout, cancel };
  int exit_code = 0;  // meaningful if signal is 0
  int signal = 0;     // what killed it
  Cause cause = Cause::itself;
  // A limit of which it is certain that it ended the command. The kernel tells it of the size of files only; whoever
  // meets another one gets an error (no memory, try again, too many open files) and says so in its own words.
  std::optional<CommandLimit> limit_hit{};
  std::vector<Leftover> leftovers{};  // the first few; only if the command ended by itself
  std::size_t leftover_count = 0;
  std::size_t survivor_count = 0;  // what we may not signal (another user's), or the kernel doesn't let go
  std::vector<Leftover> kept{};    // Command::daemons that are still alive, the first few
  std::size_t kept_count = 0;
};

// A command that runs beside us: a server, a hook, a background shell. Destroying it kills it and all its descendants.
// One thread may write, one read from each stream, one wait, all at the same time; end() is for anyone. follow() is
// reading and waiting in one.
class Child {
 public:
  virtual ~Child() = default;

  // Writes all of it. Error `cancelled`: stopped before that.
  virtual Result<void> write(std::string_view bytes, std::stop_token stop) = 0;
  // As many of the first bytes as go at once, without waiting; may be none, also where it fails.
  virtual std::size_t write_some(std::string_view /*bytes*/) { return 0; }
  virtual void close_input() = 0;
  // What there is, at least one byte, as soon as there is any; 0 when no more can come.
  virtual Result<std::size_t> read(OutputStream stream, std::span<char> into, std::stop_token stop,
                                   std::optional<TimePoint> deadline = std::nullopt) = 0;
  // Hands the output on, on this thread, until everything has ended: what run() does once the command is started. Comes
  // back with nothing when `leave` is requested: the command runs on, without a deadline, and any thread may follow it
  // further. So a command moves to the background.
  virtual Result<std::optional<CommandEnd>> follow(const OutputSink& on_output, const RunUntil& until,
                                                   std::stop_token leave) = 0;
  // Waits for the command and all its descendants. Errors `cancelled` and `timeout` concern the waiting only.
  virtual Result<CommandEnd> wait(std::stop_token stop, std::optional<TimePoint> deadline = std::nullopt) = 0;
  // SIGTERM, then after `grace` everything is killed; at once without grace. Returns before it is done: wait().
  virtual void end(Duration grace = kEndGrace) = 0;
};

class Processes {
 public:
  virtual ~Processes() = default;

  // Runs a command to its end and hands its output on. An exit code, a signal, a timeout and a cancel are ends, not
  // errors. An error means that it never ran (`not_found`, `limit`, `io`, …) or that nobody knows how it ended (`io`).
  virtual Result<CommandEnd> run(const Command& command, const OutputSink& on_output, const RunUntil& until) = 0;
  // Starts one, with a pipe at each standard stream. Returns when the program runs.
  virtual Result<std::unique_ptr<Child>> start(const Command& command, std::stop_token stop) = 0;
};

}  // namespace deft
