#include "deft/lsp/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "deft/testing/real_processes.h"

namespace deft::lsp {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<Diagnostic> read(std::string_view text) { return read_diagnostics(parse_json(text).value().get_array()); }

Diagnostic error(std::string message, std::size_t line = 1) { return {.line = line, .message = std::move(message)}; }

TEST(Diagnostics, AreReadSortedAndInOneLine) {
  const auto list = read(R"([
    {"range":{"start":{"line":4,"character":2},"end":{"line":4,"character":3}},"severity":2,"code":"unused",
     "source":"clang","message":"unused\n  variable"},
    {"range":{"start":{"line":0,"character":7}},"code":1005,"message":"';' expected"}])");
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(list[0].line, 1U);
  EXPECT_EQ(list[0].units, 7U);
  EXPECT_EQ(list[0].code, "1005");
  EXPECT_EQ(list[0].severity, Severity::error) << "what says nothing is an error";
  EXPECT_EQ(list[1].message, "unused variable");
  EXPECT_EQ(list[1].severity, Severity::warning);
}

TEST(Diagnostics, WhatHasNoPlaceOrNoMessageIsLeftOut) {
  EXPECT_THAT(read(R"([1,{},{"message":"x"},{"message":"x","range":{"start":{"line":-1,"character":0}}},
                       {"range":{"start":{"line":0,"character":0}}},
                       {"message":3,"range":{"start":{"line":0,"character":0}}}])"),
              IsEmpty());
  JsonArray many;
  for (std::size_t i = 0; i < kDiagnosticsOfFileMax + 5; ++i) {
    many.push_back(parse_json(R"({"message":"x","range":{"start":{"line":0,"character":0}}})").value());
  }
  EXPECT_THAT(read_diagnostics(many), SizeIs(kDiagnosticsOfFileMax));
}

TEST(Diagnostics, AnErrorThatOnlyMovedIsNotNew) {
  Diagnostic warning = error("w");
  warning.severity = Severity::warning;
  const auto found = new_errors({error("a", 1), error("b", 2)}, {error("a", 9), error("b", 2), error("b", 3), warning});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].message, "b");
  EXPECT_EQ(found[0].line, 3U);
}

TEST(DiagnosticBoard, WaitsForTheVersionThatIsMeant) {
  const SystemClock clock;
  DiagnosticBoard board(clock);
  EXPECT_EQ(board.of("/p/a"), std::nullopt);
  board.publish("/p/a", 1, {error("old")});
  EXPECT_FALSE(board.wait_for("/p/a", 2, board.count(), clock.now(), {}));
  std::jthread server([&] {
    board.publish("/p/b", 7, {});
    board.publish("/p/a", 2, {error("new")});
  });
  EXPECT_TRUE(board.wait_for("/p/a", 2, board.count(), clock.now() + std::chrono::minutes(1), {}));
  EXPECT_EQ(board.of("/p/a")->at(0).message, "new");
}

TEST(DiagnosticBoard, OfAServerWithoutVersionsWhatComesLaterCounts) {
  const SystemClock clock;
  DiagnosticBoard board(clock);
  board.publish("/p/a", std::nullopt, {error("old")});
  const std::uint64_t before = board.count();
  EXPECT_FALSE(board.wait_for("/p/a", 2, before, clock.now(), {}));
  board.publish("/p/a", std::nullopt, {});
  EXPECT_TRUE(board.wait_for("/p/a", 2, before, clock.now(), {}));
}

// Time stands still for who waits first, and is over at once for who waits again.
class StandingClock final : public Clock {
 public:
  TimePoint now() const override { return clock_.now(); }
  WallTime wall_time() const override { return clock_.wall_time(); }
  TimePoint on_steady_clock(TimePoint at) const override { return is_waited_for_.exchange(true) ? TimePoint{} : at; }
  bool is_waited_for() const { return is_waited_for_; }

 private:
  const SystemClock clock_;
  mutable std::atomic<bool> is_waited_for_ = false;
};

TEST(DiagnosticBoard, OfAServerWithoutVersionsTheLastWordCounts) {
  const StandingClock clock;
  DiagnosticBoard board(clock);
  board.publish("/p/a", std::nullopt, {});
  std::jthread server([&] {
    deft::testing::eventually([&] { return clock.is_waited_for(); });
    board.publish("/p/a", std::nullopt, {error("real")});
  });
  board.wait_until_quiet("/p/a", std::chrono::hours(1), clock.now() + std::chrono::hours(2), {});
  EXPECT_THAT(*board.of("/p/a"), SizeIs(1));
  board.publish("/p/b", 1, {});
  board.wait_until_quiet("/p/b", std::chrono::hours(1), clock.now() + std::chrono::hours(1), {});  // returns at once
  board.wait_until_quiet("/p/none", std::chrono::hours(1), clock.now() + std::chrono::hours(1), {});
}

TEST(DiagnosticBoard, NobodyWaitsForAServerThatIsGoneOrAfterAStop) {
  const SystemClock clock;
  DiagnosticBoard board(clock);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(board.wait_for("/p/a", 1, 0, clock.now() + std::chrono::hours(1), stop.get_token()));
  board.stop_waiting();
  EXPECT_FALSE(board.wait_for("/p/a", 1, 0, clock.now() + std::chrono::hours(1), {}));
}

TEST(DiagnosticBoard, ForgetsTheOldestOfTooManyFiles) {
  const SystemClock clock;
  DiagnosticBoard board(clock);
  for (std::size_t i = 0; i <= kDiagnosedFilesMax; ++i) board.publish("/p/" + std::to_string(i), 1, {});
  EXPECT_EQ(board.of("/p/0"), std::nullopt);
  EXPECT_TRUE(board.of("/p/1"));
}

}  // namespace
}  // namespace deft::lsp
