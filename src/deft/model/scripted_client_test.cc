#include "deft/model/scripted_client.h"

#include <gtest/gtest.h>

#include "deft/testing/model_record.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

using testing::model_request;
using testing::ModelRecord;

std::unique_ptr<ScriptedClient> client_of(std::string_view script) {
  auto parsed = Script::parse(script);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return std::make_unique<ScriptedClient>(parsed ? std::move(*parsed) : Script());
}

std::string ask(ScriptedClient& client, std::string_view prompt = "go") {
  ModelRecord record;
  const auto call = client.ask(model_request(prompt), record.sink());
  return record.wait_for_content();
}

TEST(ScriptedClient, GivesOneAnswerToEachRequestInTheOrderOfTheLines) {
  const auto client = client_of(R"(
# what the model says
{"answer":[{"thinking":"hm"},{"text":"I look."},{"call":"Read","input":{"file_path":"a","n":12345678901234567890123}},{"call":"Now","id":"x"}]}
{"answer":"Done."}
)");
  EXPECT_EQ(
      ask(*client),
      R"([{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"I look."},)"
      R"({"type":"tool_use","id":"toolu_script_1_0","name":"Read","input":{"file_path":"a","n":12345678901234567890123}},)"
      R"({"type":"tool_use","id":"x","name":"Now","input":{}}])");
  EXPECT_EQ(ask(*client), R"([{"type":"text","text":"Done."}])");
  EXPECT_EQ(ask(*client), "failed: the script has no answer left for this request: add a line to it");
}

TEST(ScriptedClient, TellsAnAnswerWordByWordAndCallsWhenTheyAreWhole) {
  const auto client = client_of(
      R"({"answer":["Here we go.",{"call":"T"}," Bye"],"usage":{"input_tokens":7},"stop_reason":"max_tokens"})");
  ModelRecord record;
  const auto call = client->ask(model_request(), record.sink());
  EXPECT_TRUE(std::holds_alternative<ModelBegan>(record.next()));
  for (const char* word : {"Here ", "we ", "go."}) EXPECT_EQ(std::get<TextDelta>(record.next()).text, word);
  const auto ready = std::get<CallReady>(record.next());
  EXPECT_EQ(ready.before.size(), 1U);
  EXPECT_EQ(std::get<TextDelta>(record.next()).text, " ");
  EXPECT_EQ(std::get<TextDelta>(record.next()).text, "Bye");
  const auto done = std::get<MessageDone>(record.next());
  EXPECT_EQ(done.message.stop_reason, "max_tokens");
  EXPECT_EQ(find_int(done.message.usage, "input_tokens"), 7);
}

TEST(ScriptedClient, AnswersWhoeverSaysTheWordsThatALineWaitsFor) {
  const auto client = client_of(R"(
{"when":"count the \"lines\"","answer":"Forty."}
{"times":2,"answer":"Well."}
{"when":"more","times":0,"answer":"More."}
)");
  EXPECT_EQ(ask(*client), R"([{"type":"text","text":"Well."}])");
  EXPECT_EQ(ask(*client, "please count the \"lines\" of it"), R"([{"type":"text","text":"Forty."}])");
  EXPECT_EQ(ask(*client), R"([{"type":"text","text":"Well."}])");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(*client, "more"), R"([{"type":"text","text":"More."}])");
  EXPECT_TRUE(ask(*client).starts_with("failed"));
}

TEST(ScriptedClient, FailsInEveryWayThatARealOneDoes) {
  const auto client = client_of(R"(
{"fail":{"status":529,"type":"overloaded_error","message":"Overloaded","retry_after_ms":250}}
{"fail":{"connection":true,"message":"refused"}}
{"answer":["Half a",{"break":"the connection broke"}]}
{"answer":[{"error":{"type":"overloaded_error","message":"Overloaded"}}]}
)");
  const auto failure = [&] {
    ModelRecord record;
    const auto call = client->ask(model_request(), record.sink());
    auto events = record.wait_for_end();
    return std::get<ModelFailed>(events.back());
  };
  const ModelFailed overloaded = failure();
  EXPECT_EQ(overloaded.failure.status, 529);
  EXPECT_EQ(overloaded.failure.retry_after, Duration(std::chrono::milliseconds(250)));
  EXPECT_EQ(failure().failure.kind, ModelFailure::Kind::connection);
  const ModelFailed broken = failure();
  EXPECT_EQ(broken.failure.kind, ModelFailure::Kind::stream_broken);
  EXPECT_EQ(assistant_content(broken.message.blocks), R"([{"type":"text","text":"Half a"}])");
  EXPECT_EQ(failure().failure.status, 529);
}

TEST(ScriptedClient, ADelayEndsWithTheCall) {
  const auto client = client_of(R"({"answer":[{"delay_ms":3000000},"late"]})");
  ModelRecord record;
  auto call = client->ask(model_request(), record.sink());
  EXPECT_TRUE(std::holds_alternative<ModelBegan>(record.next()));
  call.reset();
  EXPECT_TRUE(record.is_silent());
}

TEST(ScriptedClient, NamesTheLineThatIsWrong) {
  for (const auto& [line, word] : std::vector<std::pair<std::string, std::string>>{
           {"{", "column"},
           {"[]", "an object"},
           {"{}", "either answer or fail"},
           {R"({"answer":"a","fail":{}})", "either answer or fail"},
           {R"({"answr":"a"})", "\"answr\""},
           {R"({"answer":[{"says":"a"}]})", "a step has one of"},
           {R"({"answer":[1]})", "an object or a text"},
           {R"({"answer":[{"call":"T","input":"x"}]})", "input_text"},
           {R"({"answer":[{"delay_ms":-1}]})", "delay_ms"},
           {R"({"answer":"a","times":-1})", "times"},
           {R"({"fail":{"staus":1}})", "\"staus\""},
       }) {
    const auto parsed = Script::parse("\n" + line);
    ASSERT_FALSE(parsed) << line;
    EXPECT_TRUE(parsed.error().message.starts_with("line 2 of the script")) << parsed.error().message;
    EXPECT_NE(parsed.error().message.find(word), std::string::npos) << parsed.error().message;
  }
}

TEST(ScriptedClient, ReadsItsScriptFromAFile) {
  const TempFolder folder;
  folder.put("script.jsonl", R"({"answer":"Hello."})");
  const auto client = ScriptedClient::open(folder.path() + "/script.jsonl");
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_EQ(ask(**client), R"([{"type":"text","text":"Hello."}])");
  EXPECT_FALSE(ScriptedClient::open(folder.path() + "/missing"));
}

}  // namespace
}  // namespace deft
