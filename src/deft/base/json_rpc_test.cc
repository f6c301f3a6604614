#include "deft/base/json_rpc.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

// What a text is read as: the message written again, or why it is none.
std::string read_back(std::string_view text) {
  const auto message = parse_rpc(text);
  if (message) return to_text(*message);
  const RpcFault& fault = message.error();
  return std::to_string(fault.code) + (fault.id ? " to " + fault.id->shown() : "") + ": " + fault.message;
}

TEST(JsonRpc, TheFourKindsOfMessagesAreReadAndWritten) {
  for (const std::string_view text : {
           R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})",
           R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}})",
           R"({"jsonrpc":"2.0","id":-5,"method":"m","params":[1,2]})",
           R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
           R"({"jsonrpc":"2.0","id":1,"result":{"tools":[]}})",
           R"({"jsonrpc":"2.0","id":1,"result":null})",
           R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}})",
           R"({"jsonrpc":"2.0","id":1,"error":{"code":7,"message":"","data":{"why":1}}})",
           R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}})",
       }) {
    EXPECT_EQ(read_back(text), text);
  }
}

TEST(JsonRpc, EachKindIsAnAlternativeOfItsOwn) {
  EXPECT_TRUE(std::holds_alternative<RpcRequest>(*parse_rpc(R"({"jsonrpc":"2.0","id":1,"method":"m"})")));
  EXPECT_TRUE(std::holds_alternative<RpcNotification>(*parse_rpc(R"({"jsonrpc":"2.0","method":"m"})")));
  const auto answer = *parse_rpc(R"({"jsonrpc":"2.0","id":"x","error":{"code":3,"message":"no"}})");
  const auto& response = std::get<RpcResponse>(answer);
  EXPECT_EQ(response.id, RpcId(std::string("x")));
  ASSERT_FALSE(response.outcome);
  EXPECT_EQ(response.outcome.error().code, 3);
}

TEST(JsonRpc, ANumberAndItsTextAreTwoIds) {
  EXPECT_NE(RpcId(1), RpcId(std::string("1")));
  EXPECT_EQ(RpcId(1), RpcId(1));
  EXPECT_EQ(RpcId(1).shown(), "1");
  EXPECT_EQ(RpcId(std::string("1")).shown(), "\"1\"");
}

TEST(JsonRpc, AnIdIsAStringOrAnIntegerAndNeverNullInARequest) {
  for (const std::string id : {"null", "1.5", "true", "[1]", "{}", "9223372036854775808"}) {
    EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"m"})"),
              "-32600: the id of a request must be a string or an integer");
  }
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1.5,"result":1})"),
            "-32600: the id of a response must be a string or an integer");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":null,"result":1})"), "-32600: a result needs the id of its request");
  const std::string long_id(kRpcIdBytesMax + 1, 'x');
  EXPECT_FALSE(parse_rpc(R"({"jsonrpc":"2.0","id":")" + long_id + R"(","method":"m"})"));
}

TEST(JsonRpc, WhatCouldBeReadInTwoWaysIsRefused) {
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1,"method":"m","result":1})"),
            "-32600 to 1: a message with a method has neither a result nor an error");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}})"),
            "-32600: a response has a result or an error, not both");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"m"})").substr(0, 6), "-32700");
  EXPECT_EQ(read_back(R"([{"jsonrpc":"2.0","method":"m"}])"), "-32600: a message must be one object");
}

TEST(JsonRpc, AMemberThatIsNullBesideTheOtherIsNone) {
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1,"result":1,"error":null})"), R"({"jsonrpc":"2.0","id":1,"result":1})");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"m"}})"),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1,"method":"shutdown","params":null})"),
            R"({"jsonrpc":"2.0","id":1,"method":"shutdown"})");
}

TEST(JsonRpc, WhatIsNoMessageIsRefusedWithItsReason) {
  EXPECT_EQ(read_back("{"), "-32700: line 1, column 2: the text ends inside a value");
  EXPECT_EQ(read_back("7"), "-32600: a message must be one object");
  EXPECT_EQ(read_back(R"({"id":1,"method":"m"})"), "-32600 to 1: jsonrpc must be \"2.0\"");
  EXPECT_EQ(read_back(R"({"jsonrpc":"1.0","id":1,"method":"m"})"), "-32600 to 1: jsonrpc must be \"2.0\"");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1})"), "-32600: a message has a method, a result or an error");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0"})"), "-32600: a message has a method, a result or an error");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","result":1})"), "-32600: a response needs an id");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1,"method":5})"), "-32600 to 1: the method must be a string");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1,"method":""})"), "-32600 to 1: the method must have 1 to 1024 bytes");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1,"method":"m","params":5})"),
            "-32600 to 1: params must be an object or an array");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1,"error":"no"})"), "-32600: an error must be an object");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}})"),
            "-32600: the code of an error must be an integer");
  EXPECT_EQ(read_back(R"({"jsonrpc":"2.0","id":1,"error":{"code":1}})"),
            "-32600: the message of an error must be a string");
}

TEST(JsonRpc, TheLimitsOfJsonHold) {
  const std::string deep =
      R"({"jsonrpc":"2.0","method":"m","params":)" + std::string(200, '[') + std::string(200, ']') + "}";
  EXPECT_EQ(parse_rpc(deep).error().code, kRpcParseError);
  EXPECT_EQ(parse_rpc(R"({"jsonrpc":"2.0","method":"m"})", {.bytes_max = 10}).error().code, kRpcParseError);
}

TEST(JsonRpc, ALongErrorMessageIsCutBetweenCharacters) {
  std::string text = R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a)";
  for (std::size_t i = 0; i < kRpcErrorMessageBytesMax; ++i) text += "\u00e9";
  const auto message = parse_rpc(text + "\"}}");
  ASSERT_TRUE(message);
  EXPECT_EQ(std::get<RpcResponse>(*message).outcome.error().message.size(), kRpcErrorMessageBytesMax - 1);
}

TEST(JsonRpc, NumbersPassExactly) {
  const std::string_view text =
      R"({"jsonrpc":"2.0","id":9223372036854775807,"result":[18446744073709551615,0.1,1e300]})";
  const auto message = parse_rpc(text);
  ASSERT_TRUE(message);
  EXPECT_EQ(parse_rpc(to_text(*message)).has_value(), true);
  EXPECT_EQ(std::get<RpcResponse>(*message).id, RpcId(9223372036854775807));
  EXPECT_EQ(std::get<RpcResponse>(*message).outcome->at(0), Json(18446744073709551615U));
}

TEST(JsonRpc, AnswersAreMade) {
  EXPECT_EQ(to_text(rpc_answer(RpcId(3), JsonObject{})), R"({"jsonrpc":"2.0","id":3,"result":{}})");
  EXPECT_EQ(to_text(rpc_failure(std::nullopt, kRpcParseError, "no JSON")),
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}})");
  EXPECT_EQ(to_text(rpc_failure(RpcId(3), kRpcInvalidParams, "x", JsonObject{{"a", 1}})),
            R"({"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"x","data":{"a":1}}})");
}

}  // namespace
}  // namespace deft
