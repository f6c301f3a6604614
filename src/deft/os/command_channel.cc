#include "deft/os/command_channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "deft/base/utf8.h"
#include "deft/os/command_file.h"

namespace deft {

namespace {

bool is_valid(const warden::Report& report, std::size_t bytes) {
  return bytes >= warden::kReportBytesMin && report.magic == warden::kProtocolMagic &&
         report.named_count <= warden::kLeftoversNamedMax &&
         bytes == warden::kReportBytesMin + report.named_count * sizeof(warden::Leftover);
}

// A command chooses its own name: what is shown of it has no control characters.
std::string printable(const char* name) {
  std::string text = to_valid_utf8(std::string_view(name, strnlen(name, warden::kLeftoverNameBytesMax)));
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

CommandEnd end_of(const warden::Report& report) {
  CommandEnd end;
  end.exit_code = report.exit_code;
  end.signal = report.signal;
  if (report.cause == warden::Cause::timeout) end.cause = CommandEnd::Cause::timeout;
  if (report.cause == warden::Cause::request) end.cause = CommandEnd::Cause::cancel;
  if (end.signal == SIGXFSZ) end.limit_hit = CommandLimit::file_size;
  end.leftover_count = report.leftover_count;
  end.survivor_count = report.survivor_count;
  end.kept_count = report.kept_count;
  for (std::size_t i = 0; i < report.named_count; ++i) {
    const warden::Leftover& named = report.named[i];
    (named.is_kept != 0 ? end.kept : end.leftovers).push_back({.pid = named.pid, .name = printable(named.name)});
  }
  return end;
}

bool is_missing(int error_number) { return error_number == ENOENT || error_number == ENOTDIR; }

}  // namespace

void CommandChannel::request_end(Duration grace) {
  const Duration bounded = std::clamp(grace, Duration::zero(), kEndGraceMax);
  send({.kind = warden::RequestKind::end, .millis = millis_of(bounded)});
}

void CommandChannel::request_timeout(std::optional<Duration> timeout) {
  const bool is_bounded = timeout && *timeout <= kTimeoutMax;
  send({.kind = warden::RequestKind::set_timeout,
        .millis = is_bounded ? millis_of(std::max(*timeout, Duration::zero())) : warden::kNoLimit});
}

void CommandChannel::send(const warden::Request& request) {
  // A supervisor that is gone has answered already, or its warden will.
  while (::send(socket_.get(), &request, sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR) {
  }
}

void CommandChannel::receive() {
  const std::lock_guard lock(mutex_);
  while (!outcome_) {
    warden::Report report;
    const ssize_t got = ::recv(socket_.get(), &report, sizeof report, MSG_DONTWAIT);
    // ECONNRESET comes once and before what was sent: a request of ours that nobody read any more.
    if (got < 0 && (errno == EINTR || errno == ECONNRESET)) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got > 0 && is_valid(report, static_cast<std::size_t>(got))) {
      take(report);
    } else {
      has_lost_warden_ = true;
      outcome_ = fail(Errc::io,
                      "the process that looks after commands was killed; what became of " + program_ + " is not known");
    }
  }
}

void CommandChannel::take(const warden::Report& report) {
  switch (report.kind) {
    case warden::ReportKind::started: is_started_ = true; return;
    case warden::ReportKind::exited: return;  // its descendants are being ended; `ended` says it all
    case warden::ReportKind::failed: outcome_ = std::unexpected(failure_of(report)); return;
    case warden::ReportKind::lost: break;
    case warden::ReportKind::ended:
      has_lost_warden_ = report.cause == warden::Cause::warden_lost;
      if (has_lost_warden_) break;
      outcome_ = end_of(report);
      return;
  }
  outcome_ = fail(Errc::io, "the process that looks after commands was killed, and " + program_ +
                                " was ended with it; look at what it did before running it again");
}

Error CommandChannel::failure_of(const warden::Report& report) const {
  const int number = report.error_number;
  switch (report.stage) {
    case warden::Stage::proc: return {Errc::unsupported, "commands can't be run where /proc is not mounted"};
    case warden::Stage::folder: return system_error(Errc::io, "no temporary folder for a read-only command", number);
    case warden::Stage::fork: return system_error(Errc::limit, "no further process can be started", number);
    case warden::Stage::limits: return system_error(Errc::io, "the limits of " + program_ + " can't be set", number);
    case warden::Stage::restriction:
      return system_error(Errc::unsupported, program_ + " can't be run restricted, so it was not run", number);
    case warden::Stage::directory:
      return system_error(is_missing(number) ? Errc::not_found : Errc::io,
                          "the working directory " + (directory_.empty() ? "" : directory_ + " ") + "can't be entered",
                          number);
    case warden::Stage::exec:
      if (number == E2BIG) {
        return system_error(Errc::limit, "cannot run " + program_ + ", put long text into a file", number);
      }
      return system_error(is_missing(number) ? Errc::not_found : Errc::io, "cannot run " + program_, number);
    case warden::Stage::none:
    case warden::Stage::request:
    case warden::Stage::streams: break;
  }
  return system_error(Errc::internal, "cannot run " + program_, number);
}

bool CommandChannel::is_started() const {
  const std::lock_guard lock(mutex_);
  return is_started_ || outcome_;
}

bool CommandChannel::has_lost_warden() const {
  const std::lock_guard lock(mutex_);
  return has_lost_warden_;
}

std::optional<Result<CommandEnd>> CommandChannel::outcome() const {
  const std::lock_guard lock(mutex_);
  return outcome_;
}

}  // namespace deft
