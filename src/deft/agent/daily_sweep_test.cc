#include "deft/agent/daily_sweep.h"

#include <gtest/gtest.h>

#include "deft/agent/session_store.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/virtual_clock.h"

namespace deft {
namespace {

using namespace std::chrono_literals;

class DailySweep : public ::testing::Test {
 protected:
  std::string make() { return store.create("/p", clock).value().id; }
  std::vector<std::string> sweep(std::chrono::system_clock::time_point now) {
    return sweep_sessions_daily(folder.path(), 24h, now, 1h);
  }
  const TempFolder folder;
  VirtualClock clock;
  const SessionStore store{folder.path()};
};

TEST_F(DailySweep, OldSessionsGoOnceADay) {
  const auto now = std::chrono::system_clock::now() + 1000h;  // long after the sessions were made
  const std::string first = make();
  EXPECT_TRUE(sweep(now).empty()) << "the first time only notes when it was";
  EXPECT_EQ(sweep(now + 25h), std::vector<std::string>{first});
  const std::string second = make();
  EXPECT_TRUE(sweep(now + 48h).empty());
  EXPECT_EQ(sweep(now + 50h), std::vector<std::string>{second});
  EXPECT_TRUE(sweep_sessions_daily("", 24h, now).empty());
}

TEST_F(DailySweep, WhatTakesTooLongIsLeftToTheNextRun) {
  const auto now = std::chrono::system_clock::now() + 1000h;
  const std::string old = make();
  EXPECT_TRUE(sweep(now).empty());
  EXPECT_TRUE(sweep_sessions_daily(folder.path(), 24h, now + 25h, 0s).empty());
  EXPECT_EQ(sweep(now + 25h), std::vector<std::string>{old});
}

TEST_F(DailySweep, WhoComesSeldomIsSweptForTheSecondTime) {
  const auto now = std::chrono::system_clock::now() + 1000h;
  const std::string old = make();
  EXPECT_TRUE(sweep(now).empty());
  EXPECT_TRUE(sweep(now + 1000h).empty());
  EXPECT_EQ(sweep(now + 2000h), std::vector<std::string>{old});
  const std::string next = make();
  EXPECT_TRUE(sweep(now + 3000h).empty());
  EXPECT_EQ(sweep(now + 4000h), std::vector<std::string>{next});
}

TEST_F(DailySweep, AClockThatJumpsAheadCostsNothing) {
  const auto now = std::chrono::system_clock::now();
  EXPECT_TRUE(sweep(now).empty());
  make();
  EXPECT_TRUE(sweep(now + 20'000h).empty()) << "some years later, or the clock is wrong";
  EXPECT_TRUE(sweep(now + 10'000h).empty()) << "it is less wrong";
  EXPECT_TRUE(sweep(now + 1h).empty()) << "it is right again";
  EXPECT_EQ(store.list()->size(), 1U);
}

}  // namespace
}  // namespace deft
