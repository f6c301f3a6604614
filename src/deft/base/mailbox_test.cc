#include "deft/base/mailbox.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <thread>

namespace deft {
namespace {

// Reads bytes from a pipe and puts them into a mailbox.
class PipePump final : public Pump {
 public:
  explicit PipePump(Mailbox<int>& mailbox) : mailbox_(mailbox) { EXPECT_EQ(::pipe(ends_), 0); }
  ~PipePump() override {
    for (const int end : ends_) ::close(end);
  }
  void send(char byte) const { EXPECT_EQ(::write(ends_[1], &byte, 1), 1); }
  void be_due_at(TimePoint when) { due_ = when; }

  int descriptor() const override { return ends_[0]; }
  short events() const override { return POLLIN; }
  std::optional<TimePoint> deadline() const override { return due_; }
  void advance() override {
    if (due_) {
      due_.reset();
      return mailbox_.push(-1);
    }
    char byte = 0;
    EXPECT_EQ(::read(ends_[0], &byte, 1), 1);
    mailbox_.push(byte);
  }

 private:
  Mailbox<int>& mailbox_;
  int ends_[2] = {-1, -1};
  std::optional<TimePoint> due_;
};

TEST(Mailbox, WhatThePumpBringsIsTakenByTheOneWhoWaits) {
  Mailbox<int> mailbox;
  PipePump pump(mailbox);
  std::thread other([&] { pump.send('a'); });
  EXPECT_EQ(mailbox.pop(std::nullopt, pump), 'a');
  other.join();
}

TEST(Mailbox, AnItemOfAnotherThreadWakesOneWhoWaitsForThePump) {
  Mailbox<int> mailbox;
  PipePump pump(mailbox);
  for (int i = 0; i < 2'000; ++i) {
    std::thread other([&] { mailbox.push(i); });
    EXPECT_EQ(mailbox.pop(std::nullopt, pump), i);
    other.join();
  }
}

TEST(Mailbox, NoItemIsLostWhileThePumpBringsOthers) {
  Mailbox<int> mailbox;
  PipePump pump(mailbox);
  constexpr int kCount = 2'000;
  std::thread pushes([&] {
    for (int i = 0; i < kCount; ++i) mailbox.push(1'000);
  });
  std::thread sends([&] {
    for (int i = 0; i < kCount; ++i) pump.send('x');
  });
  int pushed = 0;
  int pumped = 0;
  while (pushed + pumped < 2 * kCount) ++(mailbox.pop(std::nullopt, pump) == 1'000 ? pushed : pumped);
  EXPECT_EQ(pushed, kCount);
  EXPECT_EQ(pumped, kCount);
  pushes.join();
  sends.join();
}

TEST(Mailbox, ThePumpIsAdvancedWhenItsTimeHasCome) {
  Mailbox<int> mailbox;
  PipePump pump(mailbox);
  pump.be_due_at(TimePoint::min());
  EXPECT_EQ(mailbox.pop(std::nullopt, pump), -1);
}

TEST(Mailbox, TheDeadlineEndsTheWaitForThePumpToo) {
  Mailbox<int> mailbox;
  PipePump pump(mailbox);
  EXPECT_FALSE(mailbox.pop(std::chrono::steady_clock::now() + std::chrono::milliseconds(1), pump));
}

}  // namespace
}  // namespace deft
