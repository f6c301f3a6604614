#include "deft/core/cancel_scope.h"

#include <gtest/gtest.h>

#include <deque>

namespace deft {
namespace {

TEST(CancelScope, ReachesEverythingBelowAndNeverTheParent) {
  CancelScope turn;
  CancelScope message(turn);
  CancelScope call(message);
  CancelScope other_call(message);
  CancelScope other_message(turn);
  message.cancel({CancelReason::abort, {}});
  EXPECT_FALSE(turn.cancelled());
  EXPECT_FALSE(other_message.cancelled());
  EXPECT_TRUE(call.cancelled());
  EXPECT_TRUE(other_call.cancelled());
  EXPECT_TRUE(CancelScope(call).cancelled());  // made after the cancellation
}

TEST(CancelScope, KeepsTheFirstReasonInTheirOrderAndTheFirstCause) {
  CancelScope message;
  CancelScope call(message);
  message.cancel({CancelReason::interrupt, {}});
  message.cancel({CancelReason::sibling_error, "Bash(a)"});
  message.cancel({CancelReason::abort, {}});
  message.cancel({CancelReason::sibling_error, "Bash(b)"});
  EXPECT_EQ(call.cancelled()->reason, CancelReason::sibling_error);
  EXPECT_EQ(call.cancelled()->cause, "Bash(a)");
}

TEST(CancelScope, ATurnOutlivesItsMessages) {
  CancelScope turn;
  CancelScope first(turn);
  {
    CancelScope second(turn);
    CancelScope third(turn);
    CancelScope call(third);
  }
  CancelScope last(turn);
  turn.cancel({CancelReason::abort, {}});
  EXPECT_TRUE(first.cancelled());
  EXPECT_TRUE(last.cancelled());
}

TEST(CancelScope, TenThousandNestedScopesAreCancelledWithoutRecursion) {
  std::deque<CancelScope> scopes(1);
  while (scopes.size() < 10'000) scopes.emplace_back(scopes.back());
  scopes.front().cancel({CancelReason::abort, {}});
  EXPECT_TRUE(scopes.back().cancelled());
  while (!scopes.empty()) scopes.pop_back();
}

}  // namespace
}  // namespace deft
