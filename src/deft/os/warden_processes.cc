#include "deft/os/warden_processes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "deft/os/command_file.h"
#include "deft/os/stop_event.h"
#include "deft/os/warden_child.h"
#include "deft/os/warden_link.h"

// The life of a run(): the command goes to the warden with one end of a channel and of each pipe; then one loop on the
// caller's thread hands the output on until the supervisor has reported the end of everything. A stop or a deadline is
// the supervisor's business: it works while the sink is busy, and this loop only sees that it does.

namespace deft {

namespace {

constexpr std::size_t kReadBytesMax = std::size_t{64} << 10;
// What is still read after everything has ended, should someone outside hold the pipe and go on writing.
constexpr std::size_t kDrainBytesMax = std::size_t{4} << 20;
// A program that takes this long to start may have a warden that was stopped.
constexpr Duration kStartPatience = std::chrono::seconds(2);

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::unexpected(system_error(Errc::io, "no pipe for a command", errno));
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void make_non_blocking(const UniqueFd& fd) { ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK); }

// An anonymous file that holds `bytes`, ready to be read from its start.
Result<UniqueFd> make_file(std::string_view bytes) {
  UniqueFd file(::memfd_create("command", MFD_CLOEXEC));
  while (file && !bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return std::unexpected(system_error(Errc::io, "no memory for a command", errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!file) return std::unexpected(system_error(Errc::io, "no memory for a command", errno));
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

enum class InputKind { none, file, pipe };

// Everything that goes to the warden. Its descriptors are ours until it has them.
struct Order {
  warden::StartRequest request;
  UniqueFd channel, command, output, input, errors, directory;

  std::vector<int> descriptors() const {  // in the protocol's order
    std::vector<int> list;
    for (const UniqueFd* fd : {&channel, &command, &output, &input, &errors, &directory}) {
      if (*fd) list.push_back(fd->get());
    }
    return list;
  }
};

Result<void> add_streams(const Command& command, InputKind input, Order& order, RunningCommand& running) {
  auto output = make_pipe();
  if (!output) return std::unexpected(output.error());
  make_non_blocking(output->read_end);
  running.output = std::move(output->read_end);
  order.output = std::move(output->write_end);
  if (command.separate_errors) {
    auto errors = make_pipe();
    if (!errors) return std::unexpected(errors.error());
    make_non_blocking(errors->read_end);
    running.errors = std::move(errors->read_end);
    order.errors = std::move(errors->write_end);
    order.request.passes |= warden::kPassesErrors;
  }
  if (input == InputKind::none) return {};
  order.request.passes |= warden::kPassesInput;
  if (input == InputKind::file) {
    // A file instead of a pipe: nobody has to feed it while reading, and a command that never reads blocks nobody.
    auto file = make_file(command.input);
    if (!file) return std::unexpected(file.error());
    order.input = std::move(*file);
    return {};
  }
  auto pipe = make_pipe();
  if (!pipe) return std::unexpected(pipe.error());
  make_non_blocking(pipe->write_end);
  running.input = std::move(pipe->write_end);
  order.input = std::move(pipe->read_end);
  return {};
}

Result<void> add_directory(const Command& command, Order& order) {
  if (!command.directory.empty() && command.directory_fd < 0) return {};  // entered by its path, over there
  const int fd = command.directory_fd >= 0 ? ::fcntl(command.directory_fd, F_DUPFD_CLOEXEC, 0)
                                           : ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return std::unexpected(system_error(Errc::io, "the working directory can't be opened", errno));
  order.directory = UniqueFd(fd);
  order.request.passes |= warden::kPassesDirectory;
  return {};
}

Result<RunningCommand> launch(WardenLink& link, const Command& command, InputKind input,
                              std::optional<std::chrono::milliseconds> timeout) {
  if (command.argv.empty()) return fail(Errc::invalid_input, "a command needs a program to run");
  const auto program = find_program(command.argv.front(), command.environment);
  if (!program) return std::unexpected(program.error());
  const auto encoded = encode_command(command, *program, timeout);
  if (!encoded) return std::unexpected(encoded.error());

  Order order;
  RunningCommand running;
  auto file = make_file(*encoded);
  if (!file) return std::unexpected(file.error());
  order.command = std::move(*file);
  order.request.command_bytes = static_cast<std::uint32_t>(encoded->size());
  if (const auto added = add_streams(command, input, order, running); !added) return std::unexpected(added.error());
  if (const auto added = add_directory(command, order); !added) return std::unexpected(added.error());
  int channel[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0) {
    return std::unexpected(system_error(Errc::io, "no channel for a command", errno));
  }
  running.channel = std::make_unique<CommandChannel>(UniqueFd(channel[0]), *program, command.directory);
  order.channel = UniqueFd(channel[1]);
  if (const auto sent = link.send(order.request, order.descriptors()); !sent) return std::unexpected(sent.error());
  return running;
}

// Hands on what the pipe holds now. False: it has ended.
bool pass_on(const UniqueFd& pipe, OutputStream stream, std::span<char> buffer, const OutputSink& on_output) {
  const ReadOnce got = read_once(pipe.get(), buffer);
  if (got.state == ReadOnce::State::data && on_output) on_output(stream, {buffer.data(), got.bytes});
  return got.state != ReadOnce::State::ended;
}

void drain(const UniqueFd& pipe, OutputStream stream, std::span<char> buffer, const OutputSink& on_output) {
  for (std::size_t total = 0; pipe && total < kDrainBytesMax;) {
    const ReadOnce got = read_once(pipe.get(), buffer);
    if (got.state != ReadOnce::State::data) return;
    total += got.bytes;
    if (on_output) on_output(stream, {buffer.data(), got.bytes});
  }
}

}  // namespace

WardenProcesses::WardenProcesses(const Clock& clock) : clock_(clock), link_(std::make_unique<WardenLink>()) {}
WardenProcesses::~WardenProcesses() = default;

Result<CommandEnd> WardenProcesses::run(const Command& command, const OutputSink& on_output, const RunUntil& until) {
  if (until.cancel.stop_requested() || until.abort.stop_requested()) {
    return fail(Errc::cancelled, "the command was cancelled before it started");
  }
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<TimePoint> answer_due;  // when the supervisor must have reported the end
  if (until.deadline) {
    timeout = std::chrono::ceil<std::chrono::milliseconds>(*until.deadline - clock_.now());
    if (timeout->count() <= 0) return fail(Errc::timeout, "the command's time was up before it started");
    answer_due = *until.deadline + command.end_grace + kSupervisorAnswerMax;
  }
  auto launched = launch(*link_, command, command.input.empty() ? InputKind::none : InputKind::file, timeout);
  if (!launched) return std::unexpected(launched.error());
  RunningCommand& running = *launched;
  CommandChannel& channel = *running.channel;

  const StopEvent cancelled(until.cancel);
  const StopEvent aborted(until.abort);
  const std::stop_callback cancel(until.cancel, [&] { channel.request_end(command.end_grace); });
  const std::stop_callback abort(until.abort, [&] { channel.request_end(Duration::zero()); });
  const auto buffer_memory = std::make_unique_for_overwrite<char[]>(kReadBytesMax);
  const std::span<char> buffer(buffer_memory.get(), kReadBytesMax);
  std::optional<TimePoint> nudge_due = clock_.now() + kStartPatience;
  bool is_stopping = false;

  for (;;) {
    pollfd watched[] = {{.fd = running.output.get(), .events = POLLIN, .revents = 0},
                        {.fd = running.errors.get(), .events = POLLIN, .revents = 0},
                        {.fd = channel.fd(), .events = POLLIN, .revents = 0},
                        {.fd = is_stopping ? -1 : cancelled.fd(), .events = POLLIN, .revents = 0},
                        {.fd = is_stopping ? -1 : aborted.fd(), .events = POLLIN, .revents = 0}};
    std::optional<TimePoint> wake = answer_due;
    if (nudge_due && (!wake || *nudge_due < *wake)) wake = nudge_due;
    poll_until(watched, clock_, wake);

    if (watched[0].revents != 0 && !pass_on(running.output, OutputStream::output, buffer, on_output)) {
      running.output.reset();
    }
    if (watched[1].revents != 0 && !pass_on(running.errors, OutputStream::errors, buffer, on_output)) {
      running.errors.reset();
    }
    if (watched[2].revents != 0) channel.receive();
    if (auto outcome = channel.outcome()) {
      drain(running.output, OutputStream::output, buffer, on_output);
      drain(running.errors, OutputStream::errors, buffer, on_output);
      return *std::move(outcome);
    }
    const TimePoint now = clock_.now();
    if (watched[3].revents != 0 || watched[4].revents != 0) {
      is_stopping = true;
      const TimePoint due = now + command.end_grace + kSupervisorAnswerMax;
      if (!answer_due || due < *answer_due) answer_due = due;
    }
    if (nudge_due && (channel.is_started() || now >= *nudge_due)) {
      if (!channel.is_started()) link_->nudge();
      nudge_due.reset();
    }
    if (answer_due && now >= *answer_due) {
      return fail(Errc::io, "the command " + command.argv.front() + " could not be ended; it may still run");
    }
  }
}

Result<std::unique_ptr<Child>> WardenProcesses::start(const Command& command, std::stop_token stop) {
  if (stop.stop_requested()) return fail(Errc::cancelled, "the command was cancelled before it started");
  auto running = launch(*link_, command, InputKind::pipe, std::nullopt);
  if (!running) return std::unexpected(running.error());
  CommandChannel& channel = *running->channel;
  auto child = std::make_unique<WardenChild>(clock_, *std::move(running));
  const StopEvent stopped(stop);
  std::optional<TimePoint> nudge_due = clock_.now() + kStartPatience;
  while (!channel.is_started()) {
    if (stop.stop_requested()) return fail(Errc::cancelled, "the command was cancelled while it started");
    pollfd watched[] = {{.fd = channel.fd(), .events = POLLIN, .revents = 0},
                        {.fd = stopped.fd(), .events = POLLIN, .revents = 0}};
    if (poll_until(watched, clock_, nudge_due) == 0) {
      link_->nudge();
      nudge_due.reset();
    }
    channel.receive();
  }
  if (auto outcome = channel.outcome(); outcome && !*outcome) return std::unexpected(outcome->error());
  return child;
}

}  // namespace deft
