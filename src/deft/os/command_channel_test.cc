#include "deft/os/command_channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace deft {
namespace {

// The supervisor has reported the end and is on its way out, so the request is never read; the kernel then tells a
// reset before it hands over what was sent.
TEST(CommandChannel, ARequestThatComesTooLateDoesNotLoseTheReport) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  CommandChannel channel(UniqueFd{ends[0]}, "/bin/bash", "/");
  UniqueFd supervisor(ends[1]);
  warden::Report report;
  for (const warden::ReportKind kind : {warden::ReportKind::started, warden::ReportKind::ended}) {
    report.kind = kind;
    report.exit_code = 7;
    ASSERT_GT(::send(supervisor.get(), &report, warden::kReportBytesMin, MSG_NOSIGNAL), 0);
  }
  channel.request_end(Duration::zero());
  supervisor.reset();

  channel.receive();
  ASSERT_TRUE(channel.outcome() && channel.outcome()->has_value());
  EXPECT_EQ((*channel.outcome())->exit_code, 7);
}

TEST(CommandChannel, AnEndWithoutAReportIsAnError) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  CommandChannel channel(UniqueFd{ends[0]}, "/bin/bash", "/");
  UniqueFd supervisor(ends[1]);
  channel.request_end(Duration::zero());
  supervisor.reset();
  channel.receive();
  ASSERT_TRUE(channel.outcome());
  EXPECT_EQ(channel.outcome()->error().code, Errc::io);
}

}  // namespace
}  // namespace deft
