// The warden believes nothing: what is not exactly a command is refused, nothing of it runs, and the warden lives on.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "deft/os/command_channel.h"
#include "deft/os/command_file.h"
#include "deft/os/warden_link.h"
#include "deft/testing/real_processes.h"

namespace deft {
namespace {

class WardenProtocol : public ::testing::Test {
 protected:
  void SetUp() override {
    const Command command{.argv = {"/bin/true", "argument"}, .environment = {"A=1"}, .directory = "/"};
    const auto encoded = encode_command(command, "/bin/true", std::nullopt);
    ASSERT_TRUE(encoded) << encoded.error().message;
    file_ = *encoded;
    ASSERT_TRUE(send(file_));
    warden_ = testing::children_of(::getpid());
  }

  Result<CommandEnd> send(const std::string& file, std::uint32_t passes = 0, std::size_t extra_descriptors = 0) {
    int pair[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    CommandChannel channel(UniqueFd{pair[0]}, "/bin/true", "/");
    UniqueFd theirs(pair[1]);
    const UniqueFd memory(::memfd_create("test", MFD_CLOEXEC));
    EXPECT_EQ(::write(memory.get(), file.data(), file.size()), static_cast<ssize_t>(file.size()));
    const UniqueFd output(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    std::vector<int> descriptors = {theirs.get(), memory.get(), output.get()};
    descriptors.insert(descriptors.end(), extra_descriptors, output.get());
    warden::StartRequest request{.passes = passes, .command_bytes = static_cast<std::uint32_t>(file.size())};
    if (const auto sent = link_.send(request, descriptors); !sent) return std::unexpected(sent.error());
    theirs.reset();
    while (!channel.outcome()) {
      pollfd watched{.fd = channel.fd(), .events = POLLIN, .revents = 0};
      ::poll(&watched, 1, -1);
      channel.receive();
    }
    return *channel.outcome();
  }
  // The file with some field of its header changed.
  template <class Change>
  std::string with_header(Change change) const {
    warden::CommandHeader header;
    std::memcpy(&header, file_.data(), sizeof header);
    change(header);
    std::string file = file_;
    std::memcpy(file.data(), &header, sizeof header);
    return file;
  }
  void expect_refused(const Result<CommandEnd>& end) {
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().message, "cannot run /bin/true: Protocol error");
  }
  void expect_the_same_warden_works() {
    EXPECT_TRUE(send(file_));
    EXPECT_EQ(testing::children_of(::getpid()), warden_);
  }

  WardenLink link_;
  std::string file_;
  std::vector<int> warden_;
};

TEST_F(WardenProtocol, AFileThatIsCutOffAnywhereIsRefused) {
  for (std::size_t length = 0; length < file_.size(); ++length) expect_refused(send(file_.substr(0, length)));
  expect_the_same_warden_works();
}

TEST_F(WardenProtocol, AFileWithMoreThanItsHeaderSaysIsRefused) {
  expect_refused(send(file_ + '\0'));
  expect_refused(send(file_ + "x"));
  expect_the_same_warden_works();
}

TEST_F(WardenProtocol, AHeaderThatIsWrongIsRefused) {
  using Header = warden::CommandHeader;
  expect_refused(send(with_header([](Header& header) { header.magic ^= 1; })));
  expect_refused(send(with_header([](Header& header) { ++header.version; })));
  expect_refused(send(with_header([](Header& header) { header.argument_count = 0; })));
  expect_refused(send(with_header([](Header& header) { ++header.argument_count; })));
  expect_refused(send(with_header([](Header& header) { --header.argument_count; })));
  expect_refused(send(with_header([](Header& header) { ++header.variable_count; })));
  expect_refused(send(with_header([](Header& header) { header.argument_count = ~0u; })));
  expect_refused(send(with_header([](Header& header) { header.variable_count = ~0u; })));
  expect_the_same_warden_works();
}

TEST_F(WardenProtocol, DescriptorsThatDontMatchTheRequestAreRefused) {
  expect_refused(send(file_, warden::kPassesInput));
  expect_refused(send(file_, 0, /*extra_descriptors=*/1));
  expect_refused(send(file_, 1u << 31, /*extra_descriptors=*/1));
  expect_the_same_warden_works();
}

TEST_F(WardenProtocol, ARestrictionThatIsNotKnownIsARefusalNeverARunWithoutIt) {
  const auto end =
      send(with_header([](warden::CommandHeader& header) { header.restriction = warden::Restriction{77}; }));
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Errc::unsupported);
  EXPECT_EQ(end.error().message, "/bin/true can't be run restricted, so it was not run: Function not implemented");
  expect_the_same_warden_works();
}

TEST_F(WardenProtocol, AReportThatIsNoReportIsAnErrorAndNoEnd) {
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
  const UniqueFd theirs(pair[1]);
  CommandChannel channel(UniqueFd{pair[0]}, "/bin/true", "/");
  warden::Report report;
  report.kind = warden::ReportKind::ended;
  report.named_count = 99;
  ASSERT_GT(::send(theirs.get(), &report, sizeof report, MSG_NOSIGNAL), 0);
  channel.receive();
  ASSERT_TRUE(channel.outcome());
  ASSERT_FALSE(*channel.outcome());
  EXPECT_EQ(channel.outcome()->error().code, Errc::io);
}

}  // namespace
}  // namespace deft
