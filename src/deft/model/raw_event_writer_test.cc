#include "deft/model/raw_event_writer.h"

#include <gtest/gtest.h>

#include "deft/core/message_content.h"
#include "deft/model/stream_decoder.h"
#include "deft/testing/fake_model.h"
#include "deft/testing/stream_run.h"

namespace deft {
namespace {

TEST(RawEventWriter, WhatItWritesIsReadAsTheSameMessage) {
  const Message message{
      .id = "msg_1",
      .model = "m",
      .blocks = {ThinkingBlock{"hm", "", {}}, text_of_model("Hel\"lo\n"), call_of_model("1", "T", JsonObject{{"a", 1}}),
                 call_of_model("2", "U"), text_of_model("Bye")},
      .stop_reason = "tool_use",
      .usage = JsonObject{{"output_tokens", 3}}};
  RawEventWriter writer;
  std::string bytes;
  for (const ModelEvent& event : stream_of(message)) {
    std::visit(
        [&](const auto& one) {
          if constexpr (std::is_constructible_v<StreamEvent, decltype(one)>) {
            for (const std::string& json : writer.write(one, {.id = "msg_1", .model = "m"}))
              bytes += "data: " + json + "\n\n";
          }
        },
        event);
  }
  const auto run = testing::run_stream(bytes);
  ASSERT_EQ(run.messages.size(), 1U) << bytes;
  EXPECT_EQ(assistant_content(run.messages[0].blocks), assistant_content(message.blocks));
  EXPECT_EQ(run.messages[0].id, "msg_1");
  EXPECT_EQ(run.messages[0].model, "m");
  EXPECT_EQ(run.messages[0].stop_reason, "tool_use");
  EXPECT_EQ(find_int(run.messages[0].usage, "output_tokens"), 3);
}

}  // namespace
}  // namespace deft
