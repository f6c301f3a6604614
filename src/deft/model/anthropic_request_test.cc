#include "deft/model/anthropic_request.h"

#include <gtest/gtest.h>

#include "deft/core/conversation.h"
#include "deft/core/message_content.h"
#include "deft/testing/model_record.h"

namespace deft {
namespace {

using testing::model_request;

const AnthropicDialect kPlain{.cache_ttl = ""};

ModelRequest conversation(std::initializer_list<std::string_view> contents) {
  auto history = std::make_shared<History>();
  for (const std::string_view content : contents) {
    history->push_back({history->size() % 2 == 0 ? Role::user : Role::assistant, std::string(content)});
  }
  return {.model = "m", .output_tokens_max = 10, .history = std::move(history)};
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; at += part.size()) ++found;
  return found;
}

std::string body_of(const ModelRequest& request, const std::string& tools, const AnthropicDialect& dialect) {
  KnownContents known;
  return anthropic_body(request, anthropic_preface(tools, request.system, dialect), dialect, known);
}

TEST(AnthropicRequest, SaysWhatWasAskedForAndNothingElse) {
  ModelRequest request = conversation({R"([{"type":"text","text":"go"}])"});
  EXPECT_EQ(body_of(request, "", kPlain), R"({"model":"m","max_tokens":10,"stream":true,)"
                                          R"("messages":[{"role":"user","content":[{"type":"text","text":"go"}]}]})");
  request.stream = false;
  request.system = "Be \"brief\".";
  request.tool_choice = JsonObject{{"type", "any"}};
  request.thinking = JsonObject{{"type", "adaptive"}};
  request.effort = "high";
  request.output_format = JsonObject{{"type", "json_schema"}};
  request.session_id = "s1";
  EXPECT_EQ(body_of(request, R"([{"name":"T"}])", kPlain),
            R"({"model":"m","max_tokens":10,"thinking":{"type":"adaptive"},)"
            R"("output_config":{"effort":"high","format":{"type":"json_schema"}},"metadata":{"user_id":"s1"},)"
            R"("tool_choice":{"type":"any"},"tools":[{"name":"T"}],)"
            R"("system":[{"type":"text","text":"Be \"brief\"."}],)"
            R"("messages":[{"role":"user","content":[{"type":"text","text":"go"}]}]})");
}

TEST(AnthropicRequest, MarksAtMostFourPlacesForTheCacheAndTheLastOneAgainTheNextTime) {
  ModelRequest request =
      conversation({R"([{"type":"text","text":"1"}])", R"([{"type":"text","text":"a"}])",
                    R"([{"type":"text","text":"2"}])", R"([{"type":"text","text":"b"}])",
                    R"([{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"x"}]}])"});
  request.system = "S";
  const std::string mark = R"("cache_control":{"type":"ephemeral"})";
  const std::string body = body_of(request, R"([{"name":"A"},{"name":"B"}])", {});
  EXPECT_EQ(count(body, "cache_control"), 4U);
  EXPECT_NE(body.find(R"({"name":"B",)" + mark + "}]"), std::string::npos) << body;
  EXPECT_NE(body.find(R"("text":"S",)" + mark), std::string::npos);
  EXPECT_NE(body.find(R"("text":"2",)" + mark), std::string::npos);
  EXPECT_NE(body.find(R"([{"type":"text","text":"x"}],)" + mark), std::string::npos);
  EXPECT_TRUE(parse_json(body));

  const std::string hour = body_of(request, "", {.cache_ttl = "1h"});
  EXPECT_EQ(count(hour, R"("cache_control":{"type":"ephemeral","ttl":"1h"})"), 3U);
}

TEST(AnthropicRequest, WhatWasSaidBeforeKeepsItsBytes) {
  const std::string_view odd =
      R"([{"type":"text","text":"caf\u00e9"},{"type":"tool_use","id":"t","name":"T","input":{"n":1e400, "m":12345678901234567890123}}])";
  const ModelRequest shorter =
      conversation({R"([{"type":"text","text":"1"}])", odd, R"([{"type":"text","text":"2"}])"});
  const ModelRequest longer = conversation({R"([{"type":"text","text":"1"}])", odd, R"([{"type":"text","text":"2"}])",
                                            R"([{"type":"text","text":"b"}])", R"([{"type":"text","text":"3"}])"});
  const std::string before = body_of(shorter, "", kPlain);
  const std::string after = body_of(longer, "", kPlain);
  EXPECT_TRUE(after.starts_with(before.substr(0, before.size() - 2))) << before << "\n" << after;
}

TEST(AnthropicRequest, ThoughtsGoBackAsTheyCameAndThoseOfOthersDoNot) {
  const std::string own = R"([{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"text","text":"a"}])";
  EXPECT_EQ(anthropic_content(own, true), own);
  const std::string foreign =
      R"([{"type":"thinking","thinking":"hm","signature":"enc","id":"rs_1","summary":[]},{"type":"text","text":"a"}])";
  EXPECT_EQ(anthropic_content(foreign, false), R"([{"type":"text","text":"a"}])");
  const std::string unsigned_thought =
      R"([{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"a"}])";
  EXPECT_EQ(anthropic_content(unsigned_thought, true), R"([{"type":"text","text":"a"}])");
  EXPECT_EQ(anthropic_content(unsigned_thought, false), unsigned_thought);
  EXPECT_EQ(anthropic_content(R"([{"type":"refusal","refusal":"No."},{"type":"web_search_call","id":"w"}])", true),
            R"([{"type":"text","text":"No."}])");
  EXPECT_EQ(
      anthropic_content(
          R"([{"type":"text","text":"a","annotations":[1]},{"type":"tool_use","id":"1","name":"T","input":{"summary":[1.50]},"namespace":"n"}])",
          true),
      R"([{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"T","input":{"summary":[1.50]}}])");
}

TEST(AnthropicRequest, ThoughtsThatAreRefusedStayAwayUpToWhereTheyWere) {
  constexpr std::string_view thought = R"([{"type":"thinking","thinking":"a","signature":"s"},)"
                                       R"({"type":"redacted_thinking","data":"d"},{"type":"text","text":"Done."}])";
  constexpr std::string_view go = R"([{"type":"text","text":"go"}])";
  const ModelRequest request{.model = "m",
                             .output_tokens_max = 10,
                             .history = std::make_shared<History>(History{{Role::user, std::string(go), 1},
                                                                          {Role::assistant, std::string(thought), 2},
                                                                          {Role::user, std::string(go), 3},
                                                                          {Role::assistant, std::string(thought), 4},
                                                                          {Role::user, std::string(go), 5}})};
  AnthropicDialect dialect = kPlain;
  dialect.refused.thoughts = 3;
  const std::string without = R"({"role":"assistant","content":[{"type":"text","text":"Done."}]})";
  const std::string with = R"({"role":"assistant","content":)" + std::string(thought) + "}";
  const std::string user = R"({"role":"user","content":)" + std::string(go) + "}";
  EXPECT_EQ(raw_member(body_of(request, "", dialect), "messages"),
            "[" + user + "," + without + "," + user + "," + with + "," + user + "]");
}

TEST(AnthropicRequest, ThePhaseOfAnotherApiIsNotToldToThisOne) {
  EXPECT_EQ(anthropic_content(R"([{"type":"text","text":"Done.","phase":"final_answer"}])", true),
            R"([{"type":"text","text":"Done."}])");
}

TEST(OfferedTools, AreOfferedUnderNamesThatTheApiTakesAndFoundAgainByThem) {
  OfferedTools tools([](const OfferedTool& tool) { return anthropic_tool(tool, {.eager_input = true}); });
  const std::string long_name = "mcp__server__" + std::string(80, 'x');
  const auto written =
      tools.write(R"([{"name":"a.b","description":"d","input_schema":{"type":"object"}},{"name":"a_b"},{"name":")" +
                  long_name + R"("}])");
  const auto parsed = parse_json(written->json);
  ASSERT_TRUE(parsed) << written->json;
  ASSERT_EQ(parsed->get_array().size(), 3U);
  EXPECT_EQ(find_string(parsed->get_array()[0], "name"), "a_b");
  EXPECT_EQ(find_bool(parsed->get_array()[0], "eager_input_streaming"), true);
  for (const Json& tool : parsed->get_array()) EXPECT_LE(find_string(tool, "name")->size(), 64U);
  EXPECT_EQ(written->names->at("a_b"), "a.b");
  EXPECT_EQ(written->names->size(), 3U);
  const std::string offered(*find_string(parsed->get_array()[2], "name"));
  EXPECT_EQ(written->names->at(offered), long_name);
  EXPECT_EQ(offered, api_tool_name(long_name));
  EXPECT_EQ(tools.write("")->json, "");
}

TEST(OfferedTools, AnOrdinarySchemaIsOfferedAsItStandsAndAnyOtherAsAPlainObject) {
  OfferedTools tools([](const OfferedTool& tool) { return tool.name + tool.description + tool.input_schema; });
  const auto offered = [&](std::string_view schema) {
    return tools.write(R"([{"name":"T","description":"\"d\"","input_schema":)" + std::string(schema) + "}]")->json;
  };
  EXPECT_EQ(offered(R"({"type":"object","properties":{"n":{"const":1.50}}})"),
            R"([T"\"d\""{"type":"object","properties":{"n":{"const":1.50}}}])");
  EXPECT_EQ(offered(R"({"oneOf":[{"properties":{"a":{}}}],"type":"object"})"),
            R"([T"\"d\""{"type":"object","properties":{"a":{}}}])");
  EXPECT_EQ(offered("{}"), R"([T"\"d\""{"type":"object"}])");
  EXPECT_EQ(offered("null"), R"([T"\"d\""{"type":"object","properties":{}}])");
  EXPECT_EQ(tools.write(R"([{"type":"web_search_20250305","name":"web_search"}])")->json,
            R"([{"type":"web_search_20250305","name":"web_search"}])");
}

TEST(OfferedTools, ASchemaThatIsAChoiceBecomesAPlainObject) {
  const auto plain = [](std::string_view schema) { return to_json(plain_root(*parse_json(schema))); };
  EXPECT_EQ(plain(R"({"type":"object","properties":{"a":{}},"required":["a"]})"),
            R"({"type":"object","properties":{"a":{}},"required":["a"]})");
  EXPECT_EQ(
      plain(
          R"({"description":"d","anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{}}}]})"),
      R"({"description":"d","type":"object","properties":{"a":{"type":"string"},"b":{}}})");
  EXPECT_EQ(plain("{}"), R"({"type":"object"})");
  EXPECT_EQ(plain("true"), R"({"type":"object","properties":{}})");
}

TEST(AnthropicRequest, IdsThatItWouldRefuseAreWordsInCallAndResult) {
  const std::string calls = R"([{"type":"tool_use","id":"functions.read:0","name":"T","input":{"id":"a.b"}},)"
                            R"({"type":"tool_use","id":"functions_read_0","name":"T","input":{}}])";
  const std::string results = R"([{"type":"tool_result","tool_use_id":"functions.read:0","content":"a.b:c"},)"
                              R"({"type":"tool_result","tool_use_id":"functions_read_0","content":""}])";
  const ModelRequest request{.model = "m",
                             .output_tokens_max = 1,
                             .history = std::make_shared<const History>(History{
                                 {Role::user, R"([{"type":"text","text":"go"}])"},
                                 {Role::assistant, calls},
                                 {Role::user, results},
                             })};
  const std::string body = body_of(request, "", {.cache_ttl = ""});
  const std::string word = api_call_id("functions.read:0");
  EXPECT_NE(body.find(R"({"type":"tool_use","id":")" + word + R"(","name":"T","input":{"id":"a.b"}})"),
            std::string::npos)
      << body;
  EXPECT_NE(body.find(R"("tool_use_id":")" + word + R"(","content":"a.b:c")"), std::string::npos) << body;
  EXPECT_EQ(body.find("functions.read"), std::string::npos);
  EXPECT_NE(word, "functions_read_0");
}

TEST(AnthropicRequest, ContentsThatAreSentAgainAreChangedAgain) {
  const std::string thought = R"([{"type":"thinking","thinking":"so","signature":"s","id":"rs_1","summary":[]},)"
                              R"({"type":"text","text":"hi"}])";
  Conversation spoken;
  spoken.add_user(R"([{"type":"text","text":"one"}])");
  spoken.add_assistant(thought);
  spoken.add_user(R"([{"type":"text","text":"two"}])");
  const ModelRequest request{.model = "m", .output_tokens_max = 10, .history = spoken.snapshot()};
  KnownContents known;
  const std::string first = anthropic_body(request, {}, kPlain, known);
  EXPECT_EQ(first.find("thinking"), std::string::npos) << first;
  EXPECT_EQ(anthropic_body(request, {}, kPlain, known), first);
}

TEST(AnthropicRequest, AMessageThatHasGrownIsLookedAtAnew) {
  Conversation spoken;
  spoken.add_user(R"([{"type":"tool_result","tool_use_id":"a","content":"x"}])");
  KnownContents known;
  const auto body = [&] {
    const ModelRequest request{.model = "m", .output_tokens_max = 10, .history = spoken.snapshot()};
    return anthropic_body(request, {}, kPlain, known);
  };
  EXPECT_NE(body().find(R"("tool_use_id":"a")"), std::string::npos);
  spoken.add_user(R"([{"type":"tool_result","tool_use_id":"functions.read:0","content":"y"}])");
  EXPECT_EQ(body().find("functions.read:0"), std::string::npos) << "this API refuses such an id";
}

}  // namespace
}  // namespace deft
