#include "deft/os/command_slots.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <future>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

class CommandSlotsTest : public ::testing::Test {
 protected:
  CommandSlots slots(std::size_t most, bool is_within_one = false) const {
    return CommandSlots({.file = folder_ / "state/commands.lock", .most = most, .is_within_one = is_within_one});
  }
  // At once, or nothing: it would have to wait.
  static std::optional<CommandSlot> take_now(const CommandSlots& slots) {
    std::stop_source stop;
    auto slot = slots.take(stop.get_token(), [&] { stop.request_stop(); });
    if (!slot) return std::nullopt;
    return *std::move(slot);
  }

  const TempFolder folder_;
};

TEST_F(CommandSlotsTest, ThereAreAsManyAsWereNamed) {
  const CommandSlots two = slots(2);
  auto first = take_now(two);
  const auto second = take_now(two);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->is_counted());
  EXPECT_FALSE(take_now(two));
  first.reset();
  EXPECT_TRUE(take_now(two));
}

TEST_F(CommandSlotsTest, WithoutANumberNobodyIsCounted) {
  const CommandSlots any = slots(0);
  const auto slot = take_now(any);
  ASSERT_TRUE(slot);
  EXPECT_FALSE(slot->is_counted());
  EXPECT_FALSE(folder_.bytes("state/commands.lock"));
}

TEST_F(CommandSlotsTest, WhoWaitsGetsTheSlotThatIsGivenBack) {
  const CommandSlots one = slots(1);
  auto held = take_now(one);
  ASSERT_TRUE(held);
  std::atomic<int> got = 0;
  {
    std::latch waiting(3);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        const auto slot = one.take({}, [&] { waiting.count_down(); });
        if (slot && slot->is_counted()) ++got;
      });
    }
    waiting.wait();
    EXPECT_EQ(got, 0);
    held.reset();
  }
  EXPECT_EQ(got, 3);
  EXPECT_TRUE(take_now(one));
}

TEST_F(CommandSlotsTest, WaitingCanBeCancelled) {
  const CommandSlots one = slots(1);
  const auto held = take_now(one);
  std::stop_source stop;
  std::promise<void> waits;
  auto answer = std::async(std::launch::async, [&] { return one.take(stop.get_token(), [&] { waits.set_value(); }); });
  waits.get_future().wait();
  stop.request_stop();
  const auto slot = answer.get();
  ASSERT_FALSE(slot);
  EXPECT_EQ(slot.error().code, Errc::cancelled);
}

TEST_F(CommandSlotsTest, WhoIsKilledHasGivenItsSlotsBack) {
  const CommandSlots one = slots(1);
  int ready[2];
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto slot = take_now(one);
    const char sign = slot ? 'y' : 'n';
    if (::write(ready[1], &sign, 1) == 1) ::pause();
    ::_exit(1);
  }
  char sign = 'n';
  ASSERT_EQ(::read(ready[0], &sign, 1), 1);
  EXPECT_EQ(sign, 'y');
  EXPECT_FALSE(take_now(one));
  const auto slot = one.take({}, [&] { ::kill(child, SIGKILL); });
  EXPECT_TRUE(slot && slot->is_counted());
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(CommandSlotsTest, WhoWasToldFewerSeesWhatTheOthersHave) {
  const auto of_many = take_now(slots(3));
  EXPECT_FALSE(take_now(slots(1)));
  EXPECT_TRUE(take_now(slots(3)));
}

TEST_F(CommandSlotsTest, NobodyWaitsBehindOneWhoWasToldFewer) {
  const auto held = take_now(slots(3));
  std::stop_source stop;
  std::promise<void> waits;
  const CommandSlots one = slots(1);
  auto few = std::async(std::launch::async, [&] { return one.take(stop.get_token(), [&] { waits.set_value(); }); });
  waits.get_future().wait();
  EXPECT_TRUE(take_now(slots(3)));
  stop.request_stop();
  EXPECT_FALSE(few.get());
}

TEST_F(CommandSlotsTest, WithinACommandThatHasASlotNobodyWaits) {
  const auto outer = take_now(slots(1));
  const auto inner = take_now(slots(1, /*is_within_one=*/true));
  ASSERT_TRUE(inner);
  EXPECT_FALSE(inner->is_counted());
  EXPECT_TRUE(take_now(slots(2, /*is_within_one=*/true))->is_counted());
}

TEST_F(CommandSlotsTest, WhereTheFileCannotBeUsedNobodyIsCountedAndThatCanBeSaid) {
  EXPECT_TRUE(slots(1).check());
  for (const std::string& file : {std::string(), folder_.put("plain", "") + "/below", folder_.path()}) {
    const CommandSlots unusable({.file = file, .most = 1});
    EXPECT_FALSE(unusable.check()) << file;
    const auto slot = take_now(unusable);
    ASSERT_TRUE(slot) << file;
    EXPECT_FALSE(slot->is_counted()) << file;
  }
}

TEST_F(CommandSlotsTest, TheFileIsPrivate) {
  EXPECT_TRUE(take_now(slots(1)));
  struct stat status{};
  ASSERT_EQ(::stat((folder_ / "state/commands.lock").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  ASSERT_EQ(::stat((folder_ / "state").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

}  // namespace
}  // namespace deft
