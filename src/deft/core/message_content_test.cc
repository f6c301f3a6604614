#include "deft/core/message_content.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

// The API refuses them, and would with every later request of the session.
TEST(MessageContent, BlankTextsAreNoBlocks) {
  EXPECT_EQ(text_block(" \n\t"), "");
  EXPECT_EQ(text_block(" a"), R"({"type":"text","text":" a"})");
  const JsonArray given{
      " ", "a", JsonObject{{"type", "text"}, {"text", "\n"}},
      JsonObject{{"role", "user"}, {"content", JsonArray{JsonObject{{"type", "text"}, {"text", ""}}}}}};
  EXPECT_EQ(new_message_blocks(given), std::vector<std::string>{R"({"type":"text","text":"a"})"});
}

}  // namespace
}  // namespace deft
