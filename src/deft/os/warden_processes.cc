#include "deft/os/warden_processes.h"

#include <algorithm>
#include <utility>

#include "deft/os/command_launch.h"
#include "deft/os/warden_child.h"
#include "deft/os/warden_link.h"

namespace deft {

namespace {

Duration end_grace_of(const Command& command) { return std::clamp(command.end_grace, Duration::zero(), kEndGraceMax); }

}  // namespace

WardenProcesses::WardenProcesses(const Clock& clock) : clock_(clock), link_(std::make_unique<WardenLink>()) {}
WardenProcesses::~WardenProcesses() = default;

void WardenProcesses::prepare() { prepare_for_commands(*link_); }

Result<CommandEnd> WardenProcesses::run(const Command& command, const OutputSink& on_output, const RunUntil& until) {
  if (until.cancel.stop_requested() || until.abort.stop_requested()) {
    return fail(Errc::cancelled, "the command was cancelled before it started");
  }
  std::optional<Duration> timeout;
  if (until.deadline) timeout = *until.deadline - clock_.now();
  if (timeout && *timeout <= Duration::zero())
    return fail(Errc::timeout, "the command's time was up before it started");
  auto running = launch_command(*link_, command, StandardInput::text, timeout);
  if (!running) return std::unexpected(running.error());
  WardenChild child(clock_, *link_, *std::move(running), end_grace_of(command));
  const auto end = child.pass_on(on_output, until, {});
  if (!end) return std::unexpected(end.error());
  return *std::move(*end);  // nobody could leave
}

Result<std::unique_ptr<Child>> WardenProcesses::start(const Command& command, std::stop_token stop) {
  if (stop.stop_requested()) return fail(Errc::cancelled, "the command was cancelled before it started");
  const StandardInput input = command.input_pipe ? StandardInput::pipe : StandardInput::text;
  auto running = launch_command(*link_, command, input, std::nullopt);
  if (!running) return std::unexpected(running.error());
  auto child = std::make_unique<WardenChild>(clock_, *link_, *std::move(running), end_grace_of(command));
  if (const auto started = child->wait_for_start(stop); !started) return std::unexpected(started.error());
  return child;
}

}  // namespace deft
