#include <gtest/gtest.h>

#include <string>

#include "deft/os/disk_files.h"
#include "deft/testing/places.h"
#include "deft_print.h"

// `deft -p` against servers that do everything to it that servers do, in the words of both API families.

namespace deft::testing {
namespace {

const HttpHeaders kEvents = {{"Content-Type", "text/event-stream"}};
const HttpHeaders kSoon = {{"retry-after-ms", "1"}};

struct Wire {
  std::string name;
  Arguments arguments;
  std::string (*text)(std::string_view);
  std::string (*calls)(const std::vector<StreamedCall>&);
};

class HeadlessHttp : public ::testing::TestWithParam<Wire> {
 protected:
  Finished run(ModelPeer& model, const Arguments& more = {}) {
    Arguments arguments = {"-p", "go", "--permission-mode", "bypassPermissions"};
    if (!GetParam().arguments.empty()) {
      arguments = arguments + GetParam().arguments + Arguments{"--base-url", model.url() + "/v1"};
    }
    return place_.run(model, arguments + more);
  }
  ModelPeer::Answer text() const { return ModelPeer::streams(GetParam().text("done")); }
  // A call that can be seen to have been made: once for each line of the file.
  std::string call(const std::string& id) const {
    return GetParam().calls({{id, "Bash", {{"command", "echo " + id + " >> effects"}}}});
  }

  PrintPlace place_;
};

INSTANTIATE_TEST_SUITE_P(Apis, HeadlessHttp,
                         ::testing::Values(Wire{"Anthropic",
                                                {},
                                                [](std::string_view text) { return anthropic_text(text); },
                                                [](const std::vector<StreamedCall>& calls) {
                                                  return anthropic_calls(calls);
                                                }},
                                           Wire{"OpenAiChat", {"--provider", "openai-chat"}, chat_text, chat_calls}),
                         [](const auto& wire) { return wire.param.name; });

TEST_P(HeadlessHttp, ATurnWithACallIsCarriedOut) {
  ModelPeer model({ModelPeer::streams(call("t1")), text()});
  const Finished finished = run(model);
  EXPECT_EQ(finished.output, "done\n") << finished.errors;
  EXPECT_EQ(place_.project.bytes("effects"), "t1\n");
}

TEST_P(HeadlessHttp, AServerWithTooMuchToDoIsAskedAgainWhenItSays) {
  ModelPeer model({ModelPeer::fails(429, "{}", kSoon), ModelPeer::fails(529, "{}", kSoon), text()});
  const Finished finished = run(model, kStreamJson);
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  const std::vector<Json> lines = json_lines(finished.output);
  const std::vector<Json> retries = of_type(lines, "system", "api_retry");
  ASSERT_EQ(retries.size(), 2U);
  EXPECT_EQ(number_of(retries[0], "error_status"), 429);
  EXPECT_EQ(text_of(retries[0], "error"), "rate_limit");
  EXPECT_EQ(number_of(retries[1], "attempt"), 2);
  EXPECT_EQ(text_of(retries[1], "error"), "overloaded");
}

TEST_P(HeadlessHttp, ABrokenServerIsAskedAgainAndThenGivenUp) {
  ModelPeer recovers({ModelPeer::fails(500, "oops", kSoon), ModelPeer::fails(503, "oops", kSoon), text()});
  EXPECT_EQ(run(recovers).output, "done\n");
  place_.environment = {"DEFT_MAX_RETRIES=2"};
  ModelPeer never({ModelPeer::fails(500, "oops", kSoon)});
  const Finished finished = run(never);
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.errors.find("oops"), std::string::npos);
  EXPECT_EQ(never.requests(), 3U);
}

TEST_P(HeadlessHttp, BytesMayComeInAnyPieces) {
  const std::string whole = call("t1");
  ModelPeer model({[&](const PeerRequest&, PeerAnswer& answer) {
                     answer.head(200, kEvents);
                     for (std::size_t at = 0; at < whole.size(); at += 7) answer.chunk(whole.substr(at, 7));
                     answer.end();
                   },
                   text()});
  EXPECT_EQ(run(model).output, "done\n");
  EXPECT_EQ(place_.project.bytes("effects"), "t1\n");
}

TEST_P(HeadlessHttp, AConnectionThatIsResetIsMadeAgain) {
  ModelPeer model({[](const PeerRequest&, PeerAnswer& answer) { answer.reset(); }, text()});
  EXPECT_EQ(run(model).output, "done\n");
}

TEST_P(HeadlessHttp, AStreamThatBreaksBeforeAnythingWasDoneIsAskedForAgain) {
  const std::string whole = call("t1");
  ModelPeer model({[&](const PeerRequest&, PeerAnswer& answer) {
                     answer.head(200, kEvents);
                     answer.chunk(whole.substr(0, whole.find("echo") + 2));  // in the middle of a block
                     answer.cut();
                   },
                   ModelPeer::streams(whole), text()});
  const Finished finished = run(model);
  EXPECT_EQ(finished.output, "done\n") << finished.errors;
  EXPECT_EQ(place_.project.bytes("effects"), "t1\n");
}

TEST_P(HeadlessHttp, WhatIsNoAnswerOfAModelIsSaidInClearWords) {
  place_.environment = {"DEFT_MAX_RETRIES=1"};
  ModelPeer page({[](const PeerRequest&, PeerAnswer& answer) {
    answer.send(200, {{"Content-Type", "text/html"}}, "<html>Welcome to the hotel</html>");
  }});
  const Finished html = run(page);
  EXPECT_EQ(html.exit_code, 1);
  EXPECT_NE(html.errors.find("API Error"), std::string::npos) << html.errors;
  EXPECT_LE(page.requests(), 3U);

  ModelPeer garbage({[](const PeerRequest&, PeerAnswer& answer) {
    answer.send(200, kEvents, "event: what\ndata: {]\n\nnonsense\n\n");
  }});
  const Finished malformed = run(garbage);
  EXPECT_EQ(malformed.exit_code, 1);
  EXPECT_NE(malformed.errors.find("API Error"), std::string::npos) << malformed.errors;
}

TEST_P(HeadlessHttp, AnotherModelAnswersWhenTheFirstHasNoTime) {
  const std::string answer_of_second = GetParam().text("done");
  ModelPeer model({[&](const PeerRequest& request, PeerAnswer& answer) {
    const Json body = parse_json(request.body).value_or(Json());
    if (text_of(body, "model") == "second") return answer.send(200, kEvents, answer_of_second);
    answer.send(529, kSoon, "{}");
  }});
  const Finished finished = run(model, {"--model", "first", "--fallback-model", "second"});
  EXPECT_EQ(finished.output, "done\n") << finished.errors;
  EXPECT_EQ(text_of(model.bodies().back(), "model"), "second");
}

TEST_P(HeadlessHttp, AnAnswerIsWhatItIsWhateverItsContentTypeSays) {
  for (const char* type : {"application/json", "text/html", "text/plain; charset=latin1", ""}) {
    const HttpHeaders headers = *type ? HttpHeaders{{"Content-Type", type}} : HttpHeaders{};
    ModelPeer model(
        {[&](const PeerRequest&, PeerAnswer& answer) { answer.send(200, headers, GetParam().text("done")); }});
    EXPECT_EQ(run(model).output, "done\n") << type;
    EXPECT_EQ(model.requests(), 1U) << type;
  }
}

TEST_P(HeadlessHttp, AServerThatFallsSilentIsLeftAndAskedAgain) {
  place_.environment = {"DEFT_STREAM_IDLE_TIMEOUT_MS=200"};
  const std::string whole = call("t1");
  ModelPeer model({[&](const PeerRequest&, PeerAnswer& answer) {
                     answer.head(200, kEvents);
                     answer.chunk(whole.substr(0, whole.find("echo")));
                     answer.wait_until_gone();
                   },
                   text()});
  const Finished finished = run(model);
  EXPECT_EQ(finished.output, "done\n") << finished.errors;
  EXPECT_NE(finished.errors.find("nothing came"), std::string::npos) << finished.errors;
}

TEST(HeadlessHttpLimits, ALimitOfMoneyIsNotWaitedOut) {
  const PrintPlace place;
  const ModelPeer model({ModelPeer::fails(
      429, R"({"type":"error","error":{"type":"rate_limit_error","message":"the limit of this month is reached"}})")});
  const Finished finished = place.run(model, {"-p", "go"});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.errors.find("the limit of this month is reached"), std::string::npos) << finished.errors;
  EXPECT_EQ(model.requests(), 1U);
}

// The newest models bind what they thought to all that stood before it, and refuse it for ever once that has changed:
// after a compaction, with other tools, from another account.
TEST(HeadlessHttpThoughts, ASessionWhoseThoughtsAreRefusedGoesOnWithoutThem) {
  const PrintPlace place;
  const std::string thoughtful =
      anthropic_blocks({{{"type", "thinking"}, {"thinking", "a deep thought"}, {"signature", "S"}}}, "first");
  const ModelPeer before({thoughtful});
  EXPECT_EQ(place.run(before, {"-p", "go"}).output, "first\n");
  const ModelPeer after(
      {ModelPeer::fails(400,
                        R"({"type":"error","error":{"type":"invalid_request_error","message":)"
                        R"("messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a )"
                        R"(different conversation."}})"),
       ModelPeer::streams(thoughtful), ModelPeer::streams(anthropic_text("done"))});
  const Finished finished = place.run(after, {"-p", "-c", "on"});
  EXPECT_EQ(finished.output, "first\n") << finished.errors;
  const std::vector<Json> asked = after.bodies();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_NE(to_json(asked[0]).find("a deep thought"), std::string::npos);
  EXPECT_EQ(to_json(asked[1]).find("a deep thought"), std::string::npos);
}

// A model that sees nothing, as many that run on one's own machine.
TEST_P(HeadlessHttp, APictureThatTheServerRefusesDoesNotEndTheSession) {
  const std::string picture = place_.project.put(
      "p.png", DiskFiles().read(DEFT_SOURCE_DIR "/tests/fixtures/pictures/palette.png", 1 << 20)->bytes);
  ModelPeer model({ModelPeer::streams(GetParam().calls({{"t1", "Read", {{"file_path", picture}}}})),
                   ModelPeer::fails(500, R"({"error":{"code":500,"message":"image input is not supported"}})"), text(),
                   text()});
  EXPECT_EQ(run(model).output, "done\n");
  const std::vector<Json> asked = model.bodies();
  ASSERT_EQ(asked.size(), 3U);
  EXPECT_NE(to_json(asked[1]).find("iVBORw0KGgo"), std::string::npos);
  EXPECT_EQ(to_json(asked[2]).find("iVBORw0KGgo"), std::string::npos);
}

TEST(HeadlessHttpRefusal, TheApisReasonIsPassedOn) {
  const PrintPlace place;
  const ModelPeer model(
      {std::string("data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"m\",\"content\":[]}}\n\n"
                   "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\",\"stop_details\":"
                   "{\"type\":\"refusal\",\"explanation\":\"not that\"}}}\n\n"
                   "data: {\"type\":\"message_stop\"}\n\n")});
  const Finished finished = place.run(model, {"-p", "go"});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE((finished.output + finished.errors).find("The model declined to answer: not that"), std::string::npos)
      << finished.output << finished.errors;
}

// By the other API a call is complete only when its message is.
TEST(HeadlessHttpEffects, WhatWasDoneBeforeAStreamBrokeIsNotDoneAgain) {
  const PrintPlace place;
  const std::string whole = anthropic_calls(
      {{"t1", "Bash", {{"command", "echo t1 >> effects"}}}, {"t2", "Bash", {{"command", "echo t2 >> effects"}}}});
  const ModelPeer model({[&](const PeerRequest&, PeerAnswer& answer) {
                           answer.head(200, kEvents);
                           answer.chunk(whole.substr(0, whole.find("echo t2")));
                           EXPECT_TRUE(eventually([&] { return place.project.bytes("effects") == "t1\n"; }));
                           answer.cut();
                         },
                         ModelPeer::streams(anthropic_text("done"))});
  const Finished finished = place.run(model, {"-p", "go", "--permission-mode", "bypassPermissions"});
  EXPECT_EQ(finished.output, "done\n") << finished.errors;
  EXPECT_EQ(place.project.bytes("effects"), "t1\n");
  const Json told = model.bodies().at(1);
  EXPECT_NE(to_json(told).find(R"("tool_use_id":"t1")"), std::string::npos);
}

}  // namespace
}  // namespace deft::testing
