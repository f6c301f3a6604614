#include "deft/core/mode.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using How = ModeChanged::How;

TEST(ModeMemory, PlanningRemembersTheModeBeforeItAndLeavingRestoresIt) {
  ModeMemory memory{.now = Mode::accept_edits};
  memory.apply({How::enter_plan});
  EXPECT_EQ(memory.now, Mode::plan);
  memory.apply({How::enter_plan});  // once more changes nothing
  memory.apply({How::leave_plan});
  EXPECT_EQ(memory.now, Mode::accept_edits);
}

TEST(ModeMemory, ASessionThatBeganWithPlanningGoesOnAsking) {
  ModeMemory memory{.now = Mode::plan};
  memory.apply({How::leave_plan});
  EXPECT_EQ(memory.now, Mode::normal);
}

TEST(ModeMemory, AModeThatSomebodySetsIsTheOneThatCounts) {
  ModeMemory memory{.now = Mode::auto_};
  memory.apply({How::set, Mode::plan});
  EXPECT_EQ(memory.before_plan, Mode::auto_);
  memory.apply({How::set, Mode::dont_ask});
  memory.apply({How::leave_plan});
  EXPECT_EQ(memory.now, Mode::dont_ask) << "there is no plan to leave";
}

TEST(ModeMemory, WhoseLeaderPlansPlansOnHoweverOftenItIsApproved) {
  ModeMemory memory{.now = Mode::plan, .before_plan = Mode::plan};
  for (int i = 0; i < 3; ++i) {
    memory.apply({ModeChanged::How::leave_plan});
    EXPECT_EQ(memory.now, Mode::plan);
  }
  memory.apply({ModeChanged::How::set, Mode::normal});
  EXPECT_EQ(memory.now, Mode::normal) << "a person may end it";
}

}  // namespace
}  // namespace deft
