#include "deft/mcp/message_scan.h"

#include <gtest/gtest.h>

#include "deft/mcp/server_batch.h"
#include "deft/mcp/transport.h"

namespace deft {
namespace {

std::string shown_id(std::string_view text) {
  const auto id = scan_message(text).id;
  return id ? id->shown() : "";
}

std::string list_of_ones(std::size_t count) {
  std::string out = "[1";
  for (std::size_t i = 1; i < count; ++i) out += ",1";
  return out + "]";
}

TEST(MessageScan, CountsWhatIsAValueAndNotWhatOnlyLooksSo) {
  EXPECT_EQ(scan_message(R"("a,b,[{")").values, 0U);
  EXPECT_EQ(scan_message(R"(["a\",,,",{},[1,2]])").values, 6U);
}

TEST(MessageScan, FindsTheIdOfTheMessageAndOfNothingWithinIt) {
  EXPECT_EQ(shown_id(R"({"jsonrpc":"2.0","id": 7,"result":{"id":8}})"), "7");
  EXPECT_EQ(shown_id(R"({"result":{"id":8,"a":[{"id":9}]},"id":"x"})"), R"("x")");
  EXPECT_EQ(shown_id(R"({"result":{"id":8}})"), "");
  EXPECT_EQ(shown_id(R"([{"id":8}])"), "");
  EXPECT_EQ(shown_id(R"({"a":"id","b":1})"), "");
  EXPECT_EQ(shown_id(R"({"id":1.5})"), "");
  EXPECT_EQ(shown_id(R"({"id":3,"result":{"broken)"), "3");
  EXPECT_TRUE(scan_message(R"({"id":1,"method":"x"})").has_method);
  EXPECT_FALSE(scan_message(R"({"id":1,"result":{"method":"x"}})").has_method);
}

// What a transport is told.
struct Told final : McpReceiver {
  void received(RpcMessage) override { ++messages; }
  void garbled(std::string why) override { notes.push_back(std::move(why)); }
  void lost(const RpcId& request, McpFailure failure) override {
    lost_requests.push_back(request.shown() + ": " + failure.message);
  }
  void closed(Error) override {}
  int messages = 0;
  std::vector<std::string> notes, lost_requests;
};

TEST(MessageScan, AnAnswerThatCannotBeReadFailsItsRequestAtOnce) {
  Told told;
  hand_on(R"({"jsonrpc":"2.0","id":4,"result":{"a":1,"a":2}})", told);
  ASSERT_EQ(told.lost_requests.size(), 1U);
  EXPECT_TRUE(told.lost_requests[0].starts_with("4: the answer cannot be read")) << told.lost_requests[0];
  hand_on(R"({"jsonrpc":"2.0","id":4,"method":"x","params":{"a":1,"a":2}})", told);
  hand_on("nonsense", told);
  EXPECT_EQ(told.lost_requests.size(), 1U) << "neither was an answer";
  EXPECT_EQ(told.notes.size(), 3U);
  EXPECT_EQ(told.messages, 0);
}

TEST(MessageScan, AMessageOfTooManyValuesIsNotRead) {
  Told told;
  const std::string many = list_of_ones(kMcpMessageValuesMax + 10);
  hand_on(R"({"jsonrpc":"2.0","result":{"list":)" + many + R"(},"id":5})", told);
  ASSERT_EQ(told.lost_requests.size(), 1U);
  EXPECT_NE(told.lost_requests[0].find("1000000 values"), std::string::npos) << told.lost_requests[0];
  const auto received = read_mcp_messages(R"({"jsonrpc":"2.0","id":6,"method":"x","params":{"list":)" + many + "}}");
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, kRpcInvalidRequest);
  EXPECT_EQ(received.error().id, RpcId(6));
}

}  // namespace
}  // namespace deft
