#include "deft/os/command_launch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deft/os/command_file.h"

namespace deft {

namespace {

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

Result<void> add_output(const Command& command, Order& order, RunningCommand& running) {
  auto output = make_pipe();
  if (!output) return std::unexpected(output.error());
  make_non_blocking(output->read_end);
  running.output = std::move(output->read_end);
  order.output = std::move(output->write_end);
  if (!command.separate_errors) return {};
  auto errors = make_pipe();
  if (!errors) return std::unexpected(errors.error());
  make_non_blocking(errors->read_end);
  running.errors = std::move(errors->read_end);
  order.errors = std::move(errors->write_end);
  order.request.passes |= warden::kPassesErrors;
  return {};
}

Result<void> add_input(const Command& command, StandardInput input, Order& order, RunningCommand& running) {
  if (input == StandardInput::text) {
    if (command.input.empty()) return {};
    auto file = make_file(command.input);
    if (!file) return std::unexpected(file.error());
    order.input = std::move(*file);
  } else {
    auto pipe = make_pipe();
    if (!pipe) return std::unexpected(pipe.error());
    make_non_blocking(pipe->write_end);
    running.input = std::move(pipe->write_end);
    order.input = std::move(pipe->read_end);
  }
  order.request.passes |= warden::kPassesInput;
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

// Where the warden makes the temporary folder of a restricted command.
void add_temporary_parent(std::string_view parent, warden::StartRequest& request) {
  if (!parent.starts_with('/') || parent.size() >= warden::kTemporaryParentBytesMax) parent = "/tmp";
  parent.copy(request.temporary_parent, parent.size());
}

}  // namespace

void prepare_for_commands(WardenLink& link) {
  const char* const parent = std::getenv("TMPDIR");
  warden::StartRequest request;
  add_temporary_parent(parent ? parent : "", request);
  link.prepare(request);
}

Result<RunningCommand> launch_command(WardenLink& link, const Command& command, StandardInput input,
                                      std::optional<Duration> timeout) {
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
  if (const auto added = add_output(command, order, running); !added) return std::unexpected(added.error());
  if (const auto added = add_input(command, input, order, running); !added) return std::unexpected(added.error());
  if (const auto added = add_directory(command, order); !added) return std::unexpected(added.error());
  if (command.restriction != Restriction::none) {
    add_temporary_parent(value_of("TMPDIR", command.environment), order.request);
  }
  int channel[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0) {
    return std::unexpected(system_error(Errc::io, "no channel for a command", errno));
  }
  running.channel = std::make_unique<CommandChannel>(UniqueFd(channel[0]), *program, command.directory);
  order.channel = UniqueFd(channel[1]);
  const auto sent = link.send(order.request, order.descriptors());
  if (!sent) return std::unexpected(sent.error());
  running.warden = *sent;
  return running;
}

}  // namespace deft
