#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "deft_print.h"

// Messages of a host that come while a turn is under way: when they are heard, and which result answers them.

namespace deft::testing {
namespace {

constexpr const char* kFirst = "11111111-1111-4111-8111-111111111111";
constexpr const char* kSecond = "22222222-2222-4222-8222-222222222222";
constexpr std::string_view kUntilGo = "touch begun; until test -e go; do sleep 0.01; done; echo went";

std::string until_go() { return anthropic_calls({{"t1", "Bash", {{"command", kUntilGo}}}}); }

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string last_message(const Json& body) { return to_json(find_array(body, "messages")->back()); }

class HeadlessPriority : public ::testing::Test {
 protected:
  // Says the first prompt and waits until its call runs.
  HostedDeft begin(const ModelPeer& model, const Arguments& more = {}) const {
    HostedDeft deft(place, model.url(), Arguments{"--permission-mode", "bypassPermissions"} + more);
    deft.say("go", {{"uuid", kFirst}});
    EXPECT_TRUE(eventually([&] { return place.project.bytes("begun").has_value(); }));
    return deft;
  }
  // All lines so far are read: this one was behind them.
  static void expect_it_was_heard(HostedDeft& deft) { deft.request({{"subtype", "get_binary_version"}}); }
  void let_go() const { place.project.put("go", ""); }

  const PrintPlace place;
};

TEST_F(HeadlessPriority, AMessageIsHeardWithTheNextResultsAndItsTurnAnswersIt) {
  const ModelPeer model({until_go(), anthropic_text("both")});
  HostedDeft deft = begin(model, {"--replay-user-messages"});
  deft.say("also this", {{"uuid", kSecond}});
  expect_it_was_heard(deft);
  let_go();
  const Json result = deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(text_of(result, "result"), "both");
  EXPECT_EQ(text_of(result, "user_message_uuid"), kFirst);
  EXPECT_EQ(*find_array(result, "user_message_uuids"), (JsonArray{kFirst, kSecond}));
  EXPECT_EQ(of_type(deft.lines(), "result").size(), 1U);
  const std::string told = last_message(model.bodies().at(1));
  EXPECT_LT(told.find("went"), told.find("also this"));
  std::vector<std::string> replayed;
  for (const Json& line : of_type(deft.lines(), "user")) {
    if (find_bool(line, "isReplay")) replayed.push_back(text_of(line, "uuid"));
  }
  EXPECT_EQ(replayed, (std::vector<std::string>{kFirst, kSecond}));
}

TEST_F(HeadlessPriority, WhatWasHeardSurvivesTheProcess) {
  PeerGate never;
  const ModelPeer model({ModelPeer::streams(until_go()),
                         [&](const PeerRequest&, PeerAnswer& answer) { answer.wait(never); },
                         ModelPeer::streams(anthropic_text("after"))});
  HostedDeft deft = begin(model);
  const std::string session = text_of(deft.next("system", "init"), "session_id");
  deft.say("also this", {{"uuid", kSecond}});
  expect_it_was_heard(deft);
  let_go();
  ASSERT_TRUE(eventually([&] { return model.requests() == 2; }));
  deft.program->send_signal(SIGKILL);
  deft.program->wait();
  EXPECT_EQ(place.run(model, {"-p", "go on", "--resume", session}).output, "after\n");
  const std::string told = last_message(model.bodies().at(2));
  EXPECT_LT(told.find("went"), told.find("also this"));
  EXPECT_LT(told.find("also this"), told.find("go on"));
  EXPECT_EQ(told.find("also this"), told.rfind("also this"));
}

TEST_F(HeadlessPriority, OneForLaterHasATurnOfItsOwn) {
  const ModelPeer model({until_go(), anthropic_text("one"), anthropic_text("two"), anthropic_text("three")});
  HostedDeft deft = begin(model);
  deft.say("the rest", {{"priority", "later"}});
  deft.say("another", {{"priority", "later"}, {"uuid", kSecond}});
  expect_it_was_heard(deft);
  let_go();
  const Json first = deft.next("result");
  EXPECT_EQ(text_of(first, "result"), "one");
  EXPECT_EQ(number_of(first, "queued_turn_count"), 2);
  EXPECT_EQ(*find_array(first, "user_message_uuids"), JsonArray{kFirst});
  EXPECT_EQ(text_of(deft.next("result"), "result"), "two");
  EXPECT_EQ(text_of(deft.next("result"), "user_message_uuid"), kSecond);
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_FALSE(has(last_message(model.bodies().at(1)), "the rest"));
  EXPECT_TRUE(has(last_message(model.bodies().at(2)), "the rest"));
}

TEST_F(HeadlessPriority, NowEndsTheTurnWhenWhatCannotBeCutOffIsDone) {
  const ModelPeer model({until_go(), anthropic_text("now"), anthropic_text("then")});
  HostedDeft deft = begin(model);
  deft.say("waits", {{"priority", "next"}});
  deft.say("hurry", {{"priority", "now"}, {"uuid", kSecond}});
  expect_it_was_heard(deft);
  let_go();
  EXPECT_EQ(text_of(deft.next("result"), "terminal_reason"), "aborted_tools");
  const Json result = deft.next("result");
  EXPECT_EQ(text_of(result, "result"), "now");
  EXPECT_EQ(text_of(result, "user_message_uuid"), kSecond);
  EXPECT_EQ(text_of(deft.next("result"), "result"), "then");
  EXPECT_EQ(deft.finish(), 0);
  const std::string told = last_message(model.bodies().at(1));
  EXPECT_LT(told.find("went"), told.find("hurry"));
  EXPECT_FALSE(has(told, "waits"));
  EXPECT_TRUE(has(last_message(model.bodies().at(2)), "waits"));
}

TEST_F(HeadlessPriority, NowStopsWhatOnlyWaits) {
  const ModelPeer model({anthropic_calls({{"t1", "Sleep", {{"duration_ms", 600'000}}}}), anthropic_text("now")});
  HostedDeft deft(place, model.url(), {"--permission-mode", "bypassPermissions"});
  deft.say("go");
  deft.next("assistant");
  deft.say("hurry", {{"priority", "now"}});
  EXPECT_EQ(text_of(deft.next("result"), "subtype"), "error_during_execution");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "now");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(blocks_of(deft.lines(), "tool_result").size(), 1U);
}

TEST_F(HeadlessPriority, NowCutsTheModelShort) {
  const std::string story = anthropic_text("Once upon a time");
  const ModelPeer model({[&](const PeerRequest&, PeerAnswer& answer) {
                           answer.head(200, {{"content-type", "text/event-stream"}});
                           answer.chunk(story.substr(0, story.find("event: content_block_stop")));
                           answer.wait_until_gone();
                         },
                         ModelPeer::streams(anthropic_text("now"))});
  HostedDeft deft(place, model.url(), {"--include-partial-messages"});
  deft.say("tell me a story");
  deft.next([](const Json& line) { return has(to_json(line), "content_block_delta"); });
  deft.say("hurry", {{"priority", "now"}});
  EXPECT_EQ(text_of(deft.next("result"), "terminal_reason"), "aborted_streaming");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "now");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(has(to_json(model.bodies().at(1)), "Once upon a time"));
}

TEST_F(HeadlessPriority, AWordThatIsNoneIsNamedAndTheMessageIsHeard) {
  const ModelPeer model({anthropic_text("one")});
  HostedDeft deft(place, model.url());
  deft.say("go", {{"priority", "yesterday"}});
  const Json said = deft.next("system", "informational");
  EXPECT_TRUE(has(text_of(said, "content"), "now, next or later")) << to_json(said);
  EXPECT_EQ(text_of(said, "level"), "warning");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "one");
  EXPECT_EQ(deft.finish(), 0);
}

TEST_F(HeadlessPriority, AMessageCanBeTakenBackUntilItIsHeard) {
  const ModelPeer model({until_go(), anthropic_text("one")});
  HostedDeft deft = begin(model);
  deft.say("also this", {{"uuid", kSecond}});
  const JsonObject cancel{{"subtype", "cancel_async_message"}, {"message_uuid", kSecond}};
  EXPECT_EQ(find_bool(deft.request(cancel), "cancelled"), true);
  EXPECT_EQ(find_bool(deft.request(cancel), "cancelled"), false);
  let_go();
  EXPECT_EQ(text_of(deft.next("result"), "result"), "one");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_FALSE(has(to_json(model.bodies().at(1)), "also this"));
}

TEST_F(HeadlessPriority, AnInterruptTellsWhoWaitsAndThoseHaveTurnsOfTheirOwn) {
  const ModelPeer model({until_go(), anthropic_text("after")});
  HostedDeft deft = begin(model);
  deft.say("nobody knows me");
  deft.say("also this", {{"uuid", kSecond}});
  const Json receipt = deft.request({{"subtype", "interrupt"}});
  EXPECT_EQ(*find_array(receipt, "still_queued"), JsonArray{kSecond});
  EXPECT_EQ(find(receipt, "cancelled"), nullptr);
  EXPECT_EQ(text_of(deft.next("result"), "terminal_reason"), "aborted_tools");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "after");
  EXPECT_EQ(text_of(deft.next("result"), "user_message_uuid"), kSecond);
  EXPECT_EQ(deft.finish(), 0);
}

TEST_F(HeadlessPriority, AnInterruptMayDropWhoWaits) {
  const ModelPeer model({until_go(), anthropic_text("after")});
  HostedDeft deft = begin(model);
  deft.say("also this", {{"uuid", kSecond}, {"priority", "later"}});
  const Json receipt = deft.request({{"subtype", "interrupt"}, {"cancel_queued", true}});
  EXPECT_EQ(*find_array(receipt, "cancelled"), JsonArray{kSecond});
  EXPECT_TRUE(find_array(receipt, "still_queued")->empty());
  EXPECT_EQ(deft.finish(), 1);  // the last turn was interrupted
  EXPECT_EQ(of_type(deft.lines(), "result").size(), 1U);
}

TEST_F(HeadlessPriority, ACommandHasATurnOfItsOwnAndIsNotOvertaken) {
  const ModelPeer model({until_go(), anthropic_text("one"), anthropic_text("two")});
  HostedDeft deft = begin(model);
  deft.say("/clear");
  deft.say("and then");
  expect_it_was_heard(deft);
  let_go();
  EXPECT_EQ(text_of(deft.next("result"), "result"), "one");
  deft.next("result");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "two");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(find_array(model.bodies().at(2), "messages")->size(), 1U);
}

TEST_F(HeadlessPriority, WhatAsksForNoAnswerGoesAlongWithTheNextThatDoes) {
  const ModelPeer model({until_go(), anthropic_text("both")});
  HostedDeft deft = begin(model);
  deft.say("by the way", {{"shouldQuery", false}});
  deft.say("also this");
  deft.say("and that", {{"shouldQuery", false}});
  expect_it_was_heard(deft);
  let_go();
  EXPECT_EQ(text_of(deft.next("result"), "result"), "both");
  EXPECT_EQ(deft.finish(), 0);
  const std::string told = last_message(model.bodies().at(1));
  EXPECT_LT(told.find("by the way"), told.find("also this"));
  EXPECT_FALSE(has(told, "and that"));
}

}  // namespace
}  // namespace deft::testing
