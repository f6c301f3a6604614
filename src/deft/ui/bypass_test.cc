#include "deft/ui/bypass.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(Bypass, RootNeedsSomebodyWhoSaysThatTheMachineMayBeLost) {
  PermissionSetup permissions{.mode = Mode::bypass};
  const auto refused = check_bypass(permissions, {.is_root = true});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("DEFT_ALLOW_ROOT_BYPASS"), std::string::npos);
  EXPECT_TRUE(check_bypass(permissions, {.is_root = true, .is_accepted = true}));
  EXPECT_TRUE(check_bypass(permissions, {.is_root = false}));
  EXPECT_EQ(permissions.mode, Mode::bypass);
}

TEST(Bypass, OtherModesAreNoneOfItsBusiness) {
  PermissionSetup permissions{.mode = Mode::accept_edits, .bypass_forbidden = true};
  const auto checked = check_bypass(permissions, {.is_root = true});
  ASSERT_TRUE(checked);
  EXPECT_FALSE(*checked);
  EXPECT_EQ(permissions.mode, Mode::accept_edits);
}

TEST(Bypass, ThePolicyWinsOverEverybody) {
  PermissionSetup permissions{.mode = Mode::bypass, .bypass_forbidden = true};
  const auto checked = check_bypass(permissions, {.is_root = true, .is_accepted = true});
  ASSERT_TRUE(checked);
  EXPECT_TRUE(*checked);
  EXPECT_EQ(permissions.mode, Mode::normal);
}

}  // namespace
}  // namespace deft
