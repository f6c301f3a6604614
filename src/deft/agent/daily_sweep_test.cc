#include "deft/agent/daily_sweep.h"

#include <gtest/gtest.h>

#include "deft/agent/session_store.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/virtual_clock.h"

namespace deft {
namespace {

TEST(DailySweep, OldSessionsGoOnceADay) {
  using namespace std::chrono_literals;
  const TempFolder folder;
  VirtualClock clock;
  const SessionStore store(folder.path());
  const auto make = [&] { return store.create("/p", clock).value().id; };
  const auto now = std::chrono::system_clock::now() + 1000h;  // long after the sessions were made
  const std::string first = make();
  EXPECT_EQ(sweep_sessions_daily(folder.path(), 24h, now), std::vector<std::string>{first});
  const std::string second = make();
  EXPECT_TRUE(sweep_sessions_daily(folder.path(), 24h, now + 23h).empty());
  EXPECT_EQ(sweep_sessions_daily(folder.path(), 24h, now + 25h), std::vector<std::string>{second});
  EXPECT_TRUE(sweep_sessions_daily("", 24h, now).empty());
}

}  // namespace
}  // namespace deft
