#include "deft/tools/decoder.h"

#include <algorithm>

#include "deft/base/path.h"
#include "deft/os/processes.h"

namespace deft {

namespace {
constexpr std::size_t kErrorBytesMax = 4'096;
}

Result<DecoderOutput> run_decoder(Decoding decoding, ToolIo& io) {
  const std::string program(file_name(decoding.argv.front()));
  const std::size_t output_bytes_max = decoding.output_bytes_max;
  Command command{.argv = std::move(decoding.argv),
                  .environment = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8"},
                  .directory = "/",
                  .input = std::move(decoding.input),
                  .separate_errors = true,
                  .end_grace = Duration::zero(),
                  .limits = {.memory_bytes = kDecoderMemoryBytesMax,
                             .file_bytes = kDecoderFileBytesMax,
                             .open_files = kDecoderOpenFilesMax},
                  .restriction = Restriction::read_only};
  DecoderOutput decoded;
  std::stop_source too_much;
  const auto take = [&](OutputStream stream, std::string_view bytes) {
    if (stream == OutputStream::errors) {
      decoded.errors += bytes.substr(0, kErrorBytesMax - std::min(kErrorBytesMax, decoded.errors.size()));
      return;
    }
    if (decoded.output.size() + bytes.size() > output_bytes_max) {
      too_much.request_stop();
    } else {
      decoded.output += bytes;
    }
  };
  const auto run = [&] {
    return io.os.processes.run(
        command, take,
        {.cancel = io.stop, .abort = too_much.get_token(), .deadline = io.os.clock.now() + kDecoderTimeMax});
  };
  auto end = run();
  if (!end && end.error().code == Errc::unsupported) {  // a kernel that cannot restrict it; the limits still hold
    command.restriction = Restriction::none;
    end = run();
  }
  if (!end) return std::unexpected(end.error());
  if (too_much.stop_requested()) return fail(Errc::limit, program + " gave more than can be shown");
  if (end->cause == CommandEnd::Cause::cancel) return fail(Errc::cancelled, "The read was cancelled.");
  if (end->cause == CommandEnd::Cause::timeout) return fail(Errc::timeout, program + " took too long");
  if (end->signal != 0) return fail(Errc::failed, program + " died of signal " + std::to_string(end->signal));
  decoded.exit_code = end->exit_code;
  return decoded;
}

}  // namespace deft
