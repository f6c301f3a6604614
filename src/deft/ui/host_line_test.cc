#include "deft/ui/host_line.h"

#include <gtest/gtest.h>

#include <vector>

namespace deft {
namespace {

template <class Kind>
Kind parsed(std::string_view line) {
  auto result = parse_host_line(line);
  EXPECT_TRUE(result) << line << ": " << (result ? "" : result.error().message);
  return result && std::holds_alternative<Kind>(*result) ? std::get<Kind>(std::move(*result)) : Kind{};
}

TEST(HostLine, AMessageIsATextOrBlocks) {
  const auto text = parsed<HostMessage>(
      R"({"type":"user","message":{"role":"user","content":"go"},"parent_tool_use_id":null,"session_id":"","uuid":"u"})");
  EXPECT_EQ(to_json(text.prompt.blocks), R"(["go"])");
  EXPECT_EQ(text.prompt.uuid, "u");
  EXPECT_TRUE(text.asks_model);
  const auto blocks = parsed<HostMessage>(
      R"({"type":"user","message":{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64"}}]},"shouldQuery":false})");
  EXPECT_EQ(blocks.prompt.blocks.size(), 2U);
  EXPECT_FALSE(blocks.asks_model);
}

TEST(HostLine, AMessageSaysWhenItIsHeard) {
  const auto with = [](const std::string& priority) {
    return parsed<HostMessage>(R"({"type":"user","message":{"role":"user","content":"go"})" + priority + "}");
  };
  EXPECT_EQ(with("").priority, MessagePriority::next);
  EXPECT_EQ(with(R"(,"priority":"now")").priority, MessagePriority::now);
  EXPECT_EQ(with(R"(,"priority":"next")").priority, MessagePriority::next);
  EXPECT_EQ(with(R"(,"priority":"later","uuid":"u")").priority, MessagePriority::later);
  EXPECT_EQ(with(R"(,"priority":null)").problem, "");
  EXPECT_TRUE(with(R"(,"uuid":"u")").is_named);
  EXPECT_FALSE(with("").is_named);
}

TEST(HostLine, OnlyWhatAPersonTypedAsAPromptMayCallACommand) {
  const auto with = [](const std::string& more) {
    return parsed<HostMessage>(R"({"type":"user","message":{"role":"user","content":"/clear"})" + more + "}");
  };
  EXPECT_FALSE(with("").prompt.is_verbatim);
  EXPECT_FALSE(with(R"(,"client_composed":false)").prompt.is_verbatim);
  EXPECT_TRUE(with(R"(,"client_composed":true)").prompt.is_verbatim);
  EXPECT_TRUE(with(R"(,"shouldQuery":false)").prompt.is_verbatim);
}

TEST(HostLine, AMessageIsNotLostBecauseOfWhenItWasToBeHeard) {
  for (const std::string_view priority : {R"("soon")", "7", "[]", "\"\""}) {
    const auto message = parsed<HostMessage>(R"({"type":"user","message":{"role":"user","content":"go"},"priority":)" +
                                             std::string(priority) + "}");
    EXPECT_EQ(message.priority, MessagePriority::next);
    EXPECT_TRUE(message.problem.contains("must be now, next or later, not " + std::string(priority)))
        << message.problem;
  }
}

TEST(HostLine, WhatAPersonCannotSayIsRefused) {
  for (const std::string_view line :
       {R"({"type":"user","message":{"role":"assistant","content":"go"}})", R"({"type":"user"})",
        R"({"type":"user","message":{"role":"user"}})", R"({"type":"user","message":{"role":"user","content":7}})",
        R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}})",
        R"({"type":"user","message":{"role":"user","content":[{"type":"text"}]}})",
        R"({"type":"user","message":{"role":"user","content":[{"type":"image"}]}})",
        R"({"type":"user","message":{"role":"user","content":["text"]}})"}) {
    EXPECT_FALSE(parse_host_line(line)) << line;
  }
}

TEST(HostLine, RequestsAndAnswersHaveTheirNames) {
  const auto request =
      parsed<HostRequest>(R"({"type":"control_request","request_id":"r1","request":{"subtype":"interrupt"}})");
  EXPECT_EQ(request.id, "r1");
  EXPECT_EQ(request.subtype, "interrupt");
  const auto good = parsed<HostResponse>(
      R"({"type":"control_response","response":{"subtype":"success","request_id":"r2","response":{"a":1}}})");
  EXPECT_EQ(good.id, "r2");
  EXPECT_EQ(to_json(good.answer.value()), R"({"a":1})");
  const auto bad = parsed<HostResponse>(
      R"({"type":"control_response","response":{"subtype":"error","request_id":"r3","error":"no"}})");
  EXPECT_EQ(bad.answer.error().message, "no");
  EXPECT_EQ(parsed<HostCancelled>(R"({"type":"control_cancel_request","request_id":"r4"})").id, "r4");
  EXPECT_TRUE(parse_host_line(R"({"type":"keep_alive"})"));
}

TEST(HostLine, ARequestWithAnIdIsAnsweredWhateverIsWrongWithIt) {
  for (const std::string request : {R"({})", R"({"subtype":7})", "null", "[]"}) {
    const auto asked = parsed<HostRequest>(R"({"type":"control_request","request_id":"r","request":)" + request + "}");
    EXPECT_EQ(asked.id, "r") << request;
    EXPECT_EQ(asked.subtype, "") << request;
  }
  EXPECT_EQ(parsed<HostRequest>(R"({"type":"control_request","request_id":"r"})").subtype, "");
}

TEST(HostLine, WhatHasNoNameOrNoKindIsRefused) {
  for (const std::string_view line :
       {"", "nonsense", "[]", "{}", R"({"type":"assistant"})",
        R"({"type":"control_request","request":{"subtype":"x"}})",
        R"({"type":"control_response","response":{"subtype":"success"}})", R"({"type":"control_response"})"}) {
    EXPECT_FALSE(parse_host_line(line)) << line;
  }
}

TEST(LineSplitter, PiecesOfAnySizeGiveTheSameLines) {
  const std::string text = "one\n\n  \ntwo and more\nthree";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    LineSplitter splitter(12);
    std::vector<std::string> lines;
    const auto take = [&](Result<std::string_view> line) { lines.emplace_back(line ? *line : "too long"); };
    for (std::size_t at = 0; at < text.size(); at += size) splitter.feed(text.substr(at, size), take);
    splitter.finish(take);
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "two and more", "three"})) << size;
  }
}

TEST(LineSplitter, ALineThatIsTooLongIsLeftOutAndTheNextOneCounts) {
  LineSplitter splitter(5);
  std::vector<std::string> lines;
  const auto take = [&](Result<std::string_view> line) { lines.emplace_back(line ? *line : "too long"); };
  splitter.feed("123", take);
  splitter.feed("4567", take);
  splitter.feed("8\nnext\n", take);
  EXPECT_EQ(lines, (std::vector<std::string>{"too long", "next"}));
}

}  // namespace
}  // namespace deft
