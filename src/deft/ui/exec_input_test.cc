#include "deft/ui/exec_input.h"

#include <gtest/gtest.h>

#include <random>

namespace deft {
namespace {

// What the input means, in short words.
std::string describe(const InputItem& item) {
  if (const auto* problem = std::get_if<InputProblem>(&item)) {
    return "problem@" + std::to_string(problem->line) + ":" + std::string(to_string(problem->error.code));
  }
  if (const auto* done = std::get_if<MessageDone>(&item))
    return "message " + std::to_string(done->message.blocks.size());
  const Feed& feed = std::get<Feed>(item);
  if (const auto* call = std::get_if<CallArrived>(&feed)) return "call " + call->call.id + " " + call->call.input_text;
  if (std::holds_alternative<MessageEnded>(feed)) return "end";
  if (std::holds_alternative<Interrupted>(feed)) return "interrupt";
  if (std::holds_alternative<Aborted>(feed)) return "abort";
  if (std::holds_alternative<StreamBroke>(feed)) return "discard";
  if (std::holds_alternative<InputEnded>(feed)) return "input ended";
  if (const auto* tool = std::get_if<ToolOffered>(&feed)) return "tool " + tool->tool->spec().name;
  if (const auto* answer = std::get_if<PermissionAnswer>(&feed)) {
    return "permission " + answer->id + " " + std::string(to_string(answer->verdict));
  }
  if (const auto* moved = std::get_if<MovedToBackground>(&feed)) return "background " + moved->call_id;
  return "host " + std::get<HostAnswer>(feed).call_id;
}

std::vector<std::string> read(std::string_view text, std::size_t piece = 100'000) {
  ExecInput input;
  std::vector<std::string> found;
  const auto add = [&](const std::vector<InputItem>& items) {
    for (const InputItem& item : items) found.push_back(describe(item));
  };
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) add(input.feed(text.substr(0, piece)));
  add(input.finish());
  return found;
}

using Words = std::vector<std::string>;

constexpr std::string_view kEverything =
    R"({"type":"tool_use","id":"1","name":"Read","input":{"n":123456789012345678901234567890}}
not json
{"type":"tool_use","id":"2","name":"Read"}

{"type":"end"}
[1]
{"type":"message","role":"assistant","content":[{"type":"text","text":"hm"},{"type":"tool_use","id":"3","name":"A","input":{}}]}
{"type":"interrupt"}
{"type":"discard"}
{"type":"tools","tools":[{"name":"mine","input_schema":{"type":"object"}},{"name":"broken"}]}
{"type":"permission","id":"p1","decision":"allow"}
{"type":"permission","id":"p1","decision":"perhaps"}
{"type":"call_result","tool_use_id":"9","content":"x"}
{"type":"background","tool_use_id":"8"}
{"type":"what"}
{"type":"tool_use","name":"Read","input":{}}
{"type":"abort"})";

TEST(ExecInput, ReadsEveryKindOfLineAndGoesOnAfterABrokenOne) {
  EXPECT_EQ(read(kEverything), (Words{"call 1 {\"n\":123456789012345678901234567890}",
                                      "problem@2:invalid_json",
                                      "call 2 {}",
                                      "message 2",
                                      "end",
                                      "problem@6:invalid_input",
                                      "call 3 {}",
                                      "end",
                                      "message 2",
                                      "interrupt",
                                      "discard",
                                      "tool mine",
                                      "problem@10:invalid_input",
                                      "permission p1 allow",
                                      "problem@12:invalid_input",
                                      "host 9",
                                      "background 8",
                                      "problem@15:invalid_input",
                                      "problem@16:invalid_input",
                                      "abort",
                                      "input ended"}));
}

TEST(ExecInput, PiecesOfAnySizeGiveTheSame) {
  const Words whole = read(kEverything);
  for (std::size_t piece = 1; piece < 40; ++piece) EXPECT_EQ(read(kEverything, piece), whole) << piece;
}

TEST(ExecInput, AnAssistantMessageEndsTheLooseCallsBeforeIt) {
  EXPECT_EQ(read(R"({"type":"tool_use","id":"1","name":"A","input":{}}
{"role":"assistant","content":[{"type":"tool_use","id":"2","name":"B","input":{}}]})"),
            (Words{"call 1 {}", "message 1", "end", "call 2 {}", "end", "message 1", "input ended"}));
}

TEST(ExecInput, ACutOffLineIsAProblemAndNoCall) {
  const std::string line = R"({"type":"tool_use","id":"1","name":"A","input":{"a":"b"}})";
  for (std::size_t size = 2; size < line.size(); ++size) {
    for (const std::string& word : read(line.substr(0, size))) EXPECT_FALSE(word.starts_with("call")) << size;
  }
}

TEST(ExecInput, AnInputThatIsNoObjectMakesACallThatCanOnlyFail) {
  ExecInput input;
  const auto items = input.feed("{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"A\",\"input\":\"x\"}\n");
  ASSERT_EQ(items.size(), 1U);
  EXPECT_TRUE(std::get<CallArrived>(std::get<Feed>(items[0])).call.invalid);
}

TEST(ExecInput, AProviderStreamIsRecognised) {
  const std::string stream =
      "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":"
      "\"assistant\",\"model\":\"x\",\"content\":[],\"stop_reason\":null,\"usage\":{}}}\n\n"
      "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
      "\"tool_use\",\"id\":\"t\",\"name\":\"A\",\"input\":{}}}\n\n"
      "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
      "\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":1}\"}}\n\n"
      "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
      "event: message_delta\ndata: "
      "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{}}\n\n"
      "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
  const Words expected = {"call t {\"a\":1}", "end", "message 1", "input ended"};
  EXPECT_EQ(read(stream), expected);
  EXPECT_EQ(read(stream, 1), expected);
}

TEST(ExecInput, ANewlineAfterTooLongALineIsTheStartOfAGoodOne) {
  ExecInput input;
  const std::string piece(std::size_t{1} << 20, 'x');
  input.feed("{\"type\":\"end\"}\n");
  for (int i = 0; i < 65; ++i) EXPECT_TRUE(input.feed(piece).empty());
  const auto items = input.feed("\n{\"type\":\"abort\"}\n");
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(describe(items[0]), "problem@2:limit");
  EXPECT_EQ(describe(items[1]), "abort");
}

}  // namespace
}  // namespace deft
