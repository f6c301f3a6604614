#include <gtest/gtest.h>

#include <set>
#include <string>

#include "deft_print.h"

// Conversations that grow too long for their model, with `deft -p` and a model over HTTP.

namespace deft::testing {
namespace {

constexpr std::int64_t kWindow = 60'000;  // tokens
const JsonObject kNearlyFull{{"input_tokens", kWindow}};
const Arguments kSmallWindow = {"--settings", R"({"autoCompactWindow":60000})"};
constexpr std::string_view kWish = "Write that summary now";

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

JsonArray content_of_message(const Json& message) {
  const Json& content = *find(message, "content");
  return content.is_array() ? content.get_array() : JsonArray{JsonObject{{"type", "text"}, {"text", content}}};
}

// What the API would refuse: a history that does not begin with the user or whose roles do not alternate, a call
// without its result right behind it, a result without its call.
std::string problem_of(const Json& body) {
  std::set<std::string> open;
  std::string before = "assistant";
  for (const Json& message : *find_array(body, "messages")) {
    const std::string role = text_of(message, "role");
    if (role == before) return "two messages of the " + role;
    before = role;
    std::set<std::string> answered, called;
    for (const Json& block : content_of_message(message)) {
      if (text_of(block, "type") == "tool_use") called.insert(text_of(block, "id"));
      if (text_of(block, "type") == "tool_result") answered.insert(text_of(block, "tool_use_id"));
    }
    if (role == "user" && answered != open) return "results do not fit the calls before them";
    open = std::move(called);
  }
  return open.empty() && before == "user" ? "" : "it does not end with the user";
}

void expect_valid(const ModelPeer& model) {
  std::size_t number = 0;
  for (const Json& body : model.bodies()) {
    EXPECT_EQ(problem_of(body), "") << "request " << number << ": " << to_json(*find(body, "messages"));
    ++number;
  }
}

bool asks_for_summary(const Json& body) { return has(to_json(find_array(body, "messages")->back()), kWish); }

ModelPeer::Answer too_long() {
  return ModelPeer::fails(
      400,
      R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}})");
}

ModelPeer::Answer says(std::string_view text, const JsonObject& usage = {}) {
  return ModelPeer::streams(anthropic_text(text, usage));
}
ModelPeer::Answer calls(const std::vector<StreamedCall>& made, const JsonObject& usage = {}) {
  return ModelPeer::streams(anthropic_calls(made, {}, usage));
}

TEST(CompactionByItself, HappensBeforeARequestThatWouldHardlyFit) {
  const PrintPlace place;
  const ModelPeer model({says("It is 42.", kNearlyFull), says("They asked; it is 42.", {{"input_tokens", 700}}),
                         says("Because."), says("Yes.")});
  HostedDeft deft(place, model.url(), kSmallWindow);
  deft.say("What is it?");
  deft.next("result");
  deft.say("Why is that so?");
  EXPECT_EQ(text_of(deft.next("system", "status"), "status"), "compacting");
  const Json boundary = deft.next("system", "compact_boundary");
  const Json& metadata = *find(boundary, "compact_metadata");
  EXPECT_EQ(text_of(metadata, "trigger"), "auto");
  EXPECT_GE(number_of(metadata, "pre_tokens"), kWindow);
  EXPECT_LT(number_of(metadata, "post_tokens"), kWindow);
  const Json result = deft.next("result");
  EXPECT_EQ(text_of(result, "result"), "Because.");
  const Json& used = *find(*find(result, "modelUsage"), "test-model");
  EXPECT_GE(number_of(used, "inputTokens"), kWindow + 700);
  deft.say("Sure?");
  deft.next("result");
  EXPECT_EQ(deft.finish(), 0);

  const auto bodies = model.bodies();
  ASSERT_EQ(bodies.size(), 4U);
  EXPECT_TRUE(asks_for_summary(bodies[1]));
  EXPECT_EQ(to_json(*find(bodies[1], "tools")), to_json(*find(bodies[0], "tools")));  // the provider's cache holds
  EXPECT_EQ(to_json(*find(bodies[1], "system")), to_json(*find(bodies[0], "system")));
  const std::string after = to_json(*find(bodies[2], "messages"));
  EXPECT_TRUE(has(after, "They asked; it is 42.") && has(after, "Why is that so?")) << after;
  EXPECT_FALSE(has(after, "What is it?") || has(after, kWish)) << after;
  EXPECT_TRUE(has(to_json(bodies[3]), "They asked; it is 42."));
  expect_valid(model);
}

TEST(CompactionByItself, HappensInTheMiddleOfATurnAndKeepsCallsWithTheirResults) {
  const PrintPlace place;
  place.project.put("a.txt", std::string(1'000, 'a'));
  place.project.put("b.txt", std::string(9'000, 'b'));
  std::vector<ModelPeer::Answer> answers;
  for (int i = 0; i < 6; ++i) {
    const std::string id = std::to_string(i);
    answers.push_back(calls({{"a" + id, "Read", {{"file_path", "a.txt"}, {"offset", 1}, {"limit", i + 1}}},
                             {"b" + id, "Bash", {{"command", "cat b.txt | head -c " + std::to_string(3'000 + i)}}}},
                            i == 5 ? kNearlyFull : JsonObject{}));
  }
  answers.push_back(says("They looked at files."));
  answers.push_back(says("Done."));
  const ModelPeer model(answers);
  const Finished run = place.run(model, Arguments{"-p", "look"} + kSmallWindow);
  EXPECT_EQ(run.output, "Done.\n") << run.errors;
  ASSERT_EQ(model.requests(), 8U);
  expect_valid(model);
  // A tenth of the window stays as it was, with its results.
  const Json last = model.bodies().back();
  EXPECT_GE(find_array(last, "messages")->size(), 3U) << to_json(*find(last, "messages"));
  EXPECT_TRUE(has(to_json(last), "\"b5\""));
}

TEST(CompactionByOverflow, HappensWhenTheServerSaysThatThePromptIsTooLong) {
  const PrintPlace place;
  const ModelPeer model({says("hello"), too_long(), says("They said hello."), says("Fine.")});
  HostedDeft deft(place, model.url());
  deft.say("hi");
  deft.next("result");
  deft.say("How are you?");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "Fine.");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(of_type(deft.lines(), "system", "compact_boundary").size(), 1U);
  EXPECT_TRUE(asks_for_summary(model.bodies().at(2)));
  expect_valid(model);
}

TEST(CompactionByOverflow, ASummaryThatDoesNotFitIsAskedForWithLessAndATurnThatNeverFitsEnds) {
  const PrintPlace place;
  const ModelPeer model(
      {says(std::string(9'000, 'x')), too_long(), too_long(), says("a summary"), says("Fine."), too_long()});
  HostedDeft deft(place, model.url());
  deft.say("hi");
  deft.next("result");
  deft.say("How are you?");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "Fine.");
  deft.say("And now?");
  const Json result = deft.next("result");
  EXPECT_EQ(text_of(result, "terminal_reason"), "prompt_too_long");
  EXPECT_EQ(find_bool(result, "is_error"), true);
  EXPECT_EQ(deft.finish(), 1);
  expect_valid(model);
  EXPECT_LT(model.requests(), 20U);
}

TEST(CompactionByHand, TakesWishesAndTheNextTurnGoesOnFromTheSummary) {
  const PrintPlace place;
  const ModelPeer model({says("hello"), says("They said hello."), says("yes")});
  HostedDeft deft(place, model.url());
  deft.say("hi, I am Ada");
  deft.next("result");
  deft.say("/compact keep every name");
  const Json compacted = deft.next("result");
  EXPECT_EQ(text_of(compacted, "subtype"), "success");
  EXPECT_EQ(find_bool(compacted, "is_error"), false);
  EXPECT_TRUE(has(text_of(compacted, "result"), "tokens")) << text_of(compacted, "result");
  deft.say("Still there?");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "yes");
  EXPECT_EQ(deft.finish(), 0);
  const auto boundaries = of_type(deft.lines(), "system", "compact_boundary");
  ASSERT_EQ(boundaries.size(), 1U);
  EXPECT_EQ(text_of(*find(boundaries[0], "compact_metadata"), "trigger"), "manual");
  EXPECT_TRUE(has(to_json(model.bodies().at(1)), "keep every name"));
  EXPECT_FALSE(has(to_json(model.bodies().at(2)), "I am Ada"));
  expect_valid(model);
}

TEST(CompactionByHand, OfNothingSaysSo) {
  const PrintPlace place;
  const ModelPeer model({says("hello")});
  const Finished run = place.run(model, {"-p", "/compact"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(has(run.errors, "nothing to compact")) << run.errors;
  EXPECT_EQ(model.requests(), 0U);
}

TEST(CompactionByHand, AnInterruptAfterACommandIsNotMeantForTheNextTurn) {
  const PrintPlace place;
  const ModelPeer model({says("hello")});
  HostedDeft deft(place, model.url());
  deft.say("/cost");
  deft.next("result");
  deft.request({{"subtype", "interrupt"}});
  deft.say("hi");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "hello");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(CompactionHooks, MayForbidIt) {
  const PrintPlace place;
  const std::string settings =
      R"({"autoCompactWindow":60000,"hooks":{"PreCompact":[{"matcher":"auto","hooks":[{"type":"command","command":"cat > pre.json; echo not now >&2; exit 2"}]}]}})";
  const ModelPeer model({says("one", kNearlyFull), says("two"), says("a summary"), says("three")});
  HostedDeft deft(place, model.url(), {"--settings", settings});
  deft.say("first");
  deft.next("result");
  deft.say("second");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "two");  // it might fit all the same
  const Json told = parse_json(place.project.bytes("pre.json").value_or("null")).value_or(Json());
  EXPECT_EQ(text_of(told, "trigger"), "auto");
  EXPECT_TRUE(of_type(deft.lines(), "system", "compact_boundary").empty());
  deft.say("/compact please");  // the matcher means the other kind
  deft.next("system", "compact_boundary");
  deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
  expect_valid(model);
}

TEST(CompactionHooks, HearOfItAndMayAdd) {
  const PrintPlace place;
  const std::string settings =
      R"({"hooks":{"PostCompact":[{"hooks":[{"type":"command","command":"cat > post.json"}]}],
          "SessionStart":[{"matcher":"compact","hooks":[{"type":"command","command":"echo the branch is main"}]}]}})";
  const ModelPeer model({says("hello"), says("They said hello."), says("yes")});
  HostedDeft deft(place, model.url(), {"--settings", settings});
  deft.say("hi");
  deft.next("result");
  deft.say("/compact keep it short");
  deft.next("result");
  deft.say("Still there?");
  deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
  const Json told = parse_json(place.project.bytes("post.json").value_or("null")).value_or(Json());
  EXPECT_EQ(text_of(told, "compact_summary"), "They said hello.");
  EXPECT_EQ(text_of(told, "trigger"), "manual");
  EXPECT_TRUE(has(to_json(model.bodies().at(2)), "the branch is main"));
}

TEST(CompactionAnswers, ACallIsNotCarriedOutAndAskedAgainForWords) {
  const PrintPlace place;
  const ModelPeer model({says("hello"), calls({{"t1", "Bash", {{"command", "touch made"}}}}, {{"input_tokens", 900}}),
                         says("a summary", {{"input_tokens", 950}}), says("fine")});
  HostedDeft deft(place, model.url(), {"--permission-mode", "bypassPermissions"});
  deft.say("hi");
  deft.next("result");
  deft.say("/compact");
  const Json result = deft.next("result");
  EXPECT_EQ(find_bool(result, "is_error"), false) << to_json(result);
  deft.say("go on");
  const Json last = deft.next("result");
  EXPECT_EQ(text_of(last, "result"), "fine");
  EXPECT_GE(number_of(*find(*find(last, "modelUsage"), "test-model"), "inputTokens"), 900 + 950);
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_FALSE(place.project.bytes("made"));
  EXPECT_EQ(text_of(*find(model.bodies().at(2), "tool_choice"), "type"), "none");
  expect_valid(model);
}

TEST(CompactionAnswers, NoWordsOrAnErrorLeaveTheConversationAsItWas) {
  const PrintPlace place;
  const ModelPeer model(
      {says("hello"), says(""), says(" \n"),
       ModelPeer::fails(401, R"({"type":"error","error":{"type":"authentication_error","message":"no key"}})"),
       says("still all there")});
  HostedDeft deft(place, model.url());
  deft.say("hi, I am Ada");
  deft.next("result");
  deft.say("/compact");
  const Json empty = deft.next("result");
  EXPECT_EQ(find_bool(empty, "is_error"), true) << to_json(empty);
  EXPECT_TRUE(has(to_json(empty), "no summary")) << to_json(empty);
  deft.say("/compact");
  EXPECT_TRUE(has(to_json(deft.next("result")), "no key"));
  deft.say("go on");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "still all there");
  deft.finish();
  EXPECT_TRUE(has(to_json(model.bodies().back()), "I am Ada"));
  EXPECT_TRUE(of_type(deft.lines(), "system", "compact_boundary").empty());
  expect_valid(model);
}

TEST(CompactionAnswers, ABrokenServerIsAskedAgain) {
  const PrintPlace place;
  const ModelPeer model(
      {says("hello"),
       ModelPeer::fails(529, R"({"type":"error","error":{"type":"overloaded_error","message":"busy"}})",
                        {{"retry-after-ms", "1"}}),
       says("They said hello."), says("fine")});
  HostedDeft deft(place, model.url());
  deft.say("hi");
  deft.next("result");
  deft.say("/compact");
  deft.next("system", "compact_boundary");
  deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(CompactionAfterwards, ASessionIsResumedWithTheShorterHistoryAgainAndAgain) {
  const PrintPlace place;
  const ModelPeer model(
      {says("one"), says("first summary"), says("two"), says("second summary"), says("three"), says("four")});
  HostedDeft deft(place, model.url());
  deft.say("alpha");
  const std::string session = text_of(deft.next("result"), "session_id");
  deft.say("/compact");
  deft.next("result");
  deft.say("beta");
  deft.next("result");
  deft.say("/compact");
  const Json compacted = deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(of_type(deft.lines(), "system", "compact_boundary").size(), 2U);
  EXPECT_TRUE(has(to_json(model.bodies().at(3)), "first summary"));
  for (const char* prompt : {"gamma", "delta"}) {
    const Finished run = place.run(model, {"-p", prompt, "--resume", session});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    const std::string body = to_json(*find(model.bodies().back(), "messages"));
    EXPECT_TRUE(has(body, "second summary") && has(body, prompt)) << body;
    EXPECT_FALSE(has(body, "first summary") || has(body, "alpha") || has(body, "beta")) << body;
  }
  expect_valid(model);
}

TEST(CompactionAfterwards, AFileThatWasReadMayStillBeEditedAndIsShownInFullWhenItIsReadAgain) {
  const PrintPlace place;
  place.project.put("a.txt", "one\n");
  const ModelPeer model(
      {calls({{"r1", "Read", {{"file_path", "a.txt"}}}}), says("read"), says("a.txt was read"),
       calls({{"e1", "Edit", {{"file_path", "a.txt"}, {"old_string", "one"}, {"new_string", "two"}}}}),
       calls({{"r2", "Read", {{"file_path", "a.txt"}}}}), says("done")});
  HostedDeft deft(place, model.url(), {"--permission-mode", "acceptEdits"});
  deft.say("read");
  deft.next("result");
  deft.say("/compact");
  deft.next("result");
  deft.say("edit");
  deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(place.project.bytes("a.txt"), "two\n");
  EXPECT_TRUE(has(to_json(find_array(model.bodies().back(), "messages")->back()), "two"));
  expect_valid(model);
}

TEST(CompactionAfterwards, AnAbortEndsItAndTheConversationStaysAsItWas) {
  const PrintPlace place;
  const ModelPeer model({says("hello"), [](const PeerRequest&, PeerAnswer& answer) { answer.wait_until_gone(); },
                         says("still all there")});
  HostedDeft deft(place, model.url());
  deft.say("hi, I am Ada");
  deft.next("result");
  deft.say("/compact");
  deft.next("system", "status");
  deft.request({{"subtype", "interrupt"}});
  EXPECT_EQ(text_of(deft.next("result"), "terminal_reason"), "aborted_streaming");
  deft.say("go on");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "still all there");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(has(to_json(model.bodies().back()), "I am Ada"));
  expect_valid(model);
}

}  // namespace
}  // namespace deft::testing
