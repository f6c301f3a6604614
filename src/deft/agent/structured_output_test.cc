#include "deft/agent/structured_output.h"

#include <gtest/gtest.h>

#include "deft/testing/agent_bench.h"

namespace deft {
namespace {

Json schema() {
  return *parse_json(R"({"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]})");
}

class StructuredOutputTest : public ::testing::Test {
 protected:
  StructuredOutputTest() {
    bench_.options.structured = *StructuredOutput::make(schema());
    bench_.add_tool(bench_.options.structured->tool());
  }

  static Block answer(Json count) {
    static int number = 0;
    return call_of_model("t" + std::to_string(++number), std::string(kStructuredOutputTool),
                         JsonObject{{"count", std::move(count)}});
  }

  AgentBench bench_;
};

TEST_F(StructuredOutputTest, AnAnswerThatFitsEndsTheTurn) {
  bench_.model.will_answer({answer(3)});
  const TurnEnd end = bench_.turn("count");
  EXPECT_EQ(end.reason, TurnReason::completed);
  EXPECT_EQ(to_json(end.structured_output.value()), R"({"count":3})");
  EXPECT_EQ(bench_.model.requests().size(), 1U);
}

TEST_F(StructuredOutputTest, WhatDoesNotFitIsToldToTheModel) {
  bench_.model.will_answer({answer("three")});
  bench_.model.will_answer({text_of_model("It is three.")});
  bench_.model.will_answer({answer(3)});
  EXPECT_EQ(bench_.turn("count").reason, TurnReason::completed);
  EXPECT_NE(bench_.history()[2].content.find("InputValidationError"), std::string::npos);
  EXPECT_NE(bench_.history()[4].content.find("StructuredOutput"), std::string::npos);
}

TEST_F(StructuredOutputTest, FailedAnswersCountSoThatTheTurnEnds) {
  bench_.model.answer = [](const ModelRequest&) { return stream_of({answer("many")}); };
  const TurnEnd end = bench_.turn("count");
  EXPECT_EQ(end.reason, TurnReason::structured_output_failed);
  EXPECT_EQ(bench_.model.requests().size(), 1 + kStructuredOutputRetriesMax);
  EXPECT_NE(end.explanation.find("count"), std::string::npos);
  EXPECT_EQ(end.structured_output, std::nullopt);
}

TEST_F(StructuredOutputTest, EndsWithoutAnAnswerCountToo) {
  bench_.model.answer = [](const ModelRequest&) { return stream_of({text_of_model("many")}); };
  EXPECT_EQ(bench_.turn("count").reason, TurnReason::structured_output_failed);
  EXPECT_EQ(bench_.model.requests().size(), 1 + kStructuredOutputRetriesMax);
}

TEST_F(StructuredOutputTest, EachTurnBeginsAnew) {
  bench_.model.answer = [](const ModelRequest&) { return stream_of({text_of_model("many")}); };
  bench_.turn("count");
  bench_.model.answer = [](const ModelRequest&) { return stream_of({answer(1)}); };
  EXPECT_EQ(to_json(bench_.turn("again").structured_output.value()), R"({"count":1})");
}

TEST_F(StructuredOutputTest, AModelThatDeclinesIsNotAskedAgain) {
  bench_.model.will_answer({text_of_model("No.")}, "refusal");
  EXPECT_EQ(bench_.turn("count").reason, TurnReason::refusal);
}

TEST(StructuredOutputSchema, MustBeOneOfAnObjectAndUsable) {
  for (const char* text : {"[]", "{}", R"({"type":"array"})", R"({"type":"object","properties":7})"}) {
    EXPECT_FALSE(StructuredOutput::make(*parse_json(text))) << text;
  }
}

TEST(AgentAbort, OneThatComesBetweenTwoTurnsIsNotMeantForTheNext) {
  AgentBench bench;
  bench.model.will_answer({text_of_model("one")});
  bench.model.will_answer({text_of_model("two")});
  EXPECT_EQ(bench.turn("first").reason, TurnReason::completed);
  bench.agent().abort();
  EXPECT_EQ(bench.turn("second").reason, TurnReason::completed);
}

TEST(AgentAbort, OneThatComesWhenATurnIsAnnouncedIsMeantForIt) {
  AgentBench bench;
  bench.model.will({});  // says nothing
  bench.agent().announce_turn();
  bench.agent().abort();
  EXPECT_EQ(bench.turn("first").reason, TurnReason::aborted_streaming);
}

TEST(StructuredOutputSchema, IsTakenAlsoWhereItsTypeHasANameOrIsNotSaid) {
  for (const char* const same : {
           R"({"$ref":"#/definitions/Answer","definitions":{"Answer":{"type":"object","required":["a"]}}})",
           R"({"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/B"},"B":{"type":"object","required":["a"]}}})",
           R"({"properties":{"a":{"type":"number"}},"required":["a"]})",
           R"({"type":["object","null"],"required":["a"]})",
       }) {
    const auto made = StructuredOutput::make(*parse_json(same));
    ASSERT_TRUE(made) << same << made.error().message;
    const Json& schema = (*made)->tool()->spec().input_schema;
    EXPECT_EQ(find_string(schema, "type"), "object") << same;
    EXPECT_EQ(to_json(*find(schema, "required")), R"(["a"])") << same;
  }
}

TEST(StructuredOutputSchema, IsRefusedWhereTheAnswerIsNoObjectOrCannotBeFound) {
  for (const char* const wrong : {R"({"type":"array"})", R"({"anyOf":[{"type":"object"}]})", R"({"enum":[1]})", "[]",
                                  R"({"$ref":"#/$defs/A"})", R"({"$ref":"#"})", R"({"$ref":"https://example.org/a"})",
                                  R"({"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}})"}) {
    EXPECT_FALSE(StructuredOutput::make(*parse_json(wrong))) << wrong;
  }
}

}  // namespace
}  // namespace deft
