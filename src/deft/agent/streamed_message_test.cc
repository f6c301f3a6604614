#include "deft/agent/streamed_message.h"

#include <gtest/gtest.h>

#include "deft/core/message_content.h"

namespace deft {
namespace {

// A user interrupts, or the process is killed, before the message has ended: what is handed back is what has come, and
// some providers refuse a call without the signature that they sent with it.
TEST(StreamedMessage, ACallThatIsHandedBackHasWhatItsProviderSentWithIt) {
  CallIds ids;
  StreamedMessage message;
  CallReady ready{.call = {.id = "c1", .name = "Read", .input_text = "{}"}};
  ready.extra["extra_content"] = {{"google", {{"thought_signature", "sealed"}}}};
  const std::vector<Block> added = message.add_call(std::move(ready), ids);
  const std::string signature = R"("extra_content":{"google":{"thought_signature":"sealed"}})";
  EXPECT_NE(assistant_content(added).find(signature), std::string::npos);
  EXPECT_NE(assistant_content(message.so_far().blocks).find(signature), std::string::npos);
}

}  // namespace
}  // namespace deft
