#include "deft/agent/advisor.h"

#include <gtest/gtest.h>

#include "deft/agent/model_search.h"
#include "deft/model/remembering_client.h"
#include "deft/testing/fake_model.h"
#include "deft/testing/model_record.h"

// What is asked of a model beside the conversation: an opinion, a search of the web.

namespace deft {
namespace {

std::string first_content(const ModelRequest& request) { return request.history->at(0).content; }

TEST(AdvisorModel, SeesTheConversationAndTheQuestion) {
  SystemClock clock;
  FakeModel model;
  model.will_answer({text_of_model("Well done.")});
  auto history = std::make_shared<const History>(History{{Role::user, R"([{"type":"text","text":"Fix the bug."}])"}});
  const auto ask = advisor_model(model, clock, "big", [&] { return history; });
  const auto advice = ask("Is it right?", {});
  ASSERT_TRUE(advice.has_value()) << advice.error().message;
  EXPECT_EQ(advice->text, "Well done.");
  const ModelRequest request = model.requests().at(0);
  EXPECT_EQ(request.model, "big");
  EXPECT_EQ(request.tools, "") << "it can do nothing";
  EXPECT_NE(first_content(request).find("Fix the bug."), std::string::npos);
  EXPECT_NE(first_content(request).find("Is it right?"), std::string::npos);
}

TEST(AdvisorModel, SaysWhatWentWrong) {
  SystemClock clock;
  FakeModel model;
  model.will({failure_of({.message = "overloaded"})});
  const auto ask = advisor_model(model, clock, "big", [] { return nullptr; });
  EXPECT_EQ(ask("", {}).error().message, "the model gave no answer: overloaded");
  model.will_answer({text_of_model("")});
  EXPECT_EQ(ask("", {}).error().message, "it gave an empty answer");
}

TEST(RememberingClient, KnowsTheLastConversationThatWentThroughIt) {
  FakeModel model;
  RememberingClient client(model);
  EXPECT_EQ(client.history(), nullptr);
  model.will_answer({text_of_model("a")});
  testing::ModelRecord record;
  const ModelRequest request = testing::model_request("hello");
  const auto call = client.ask(request, record.sink());
  record.wait_for_end();
  EXPECT_EQ(client.history(), request.history);
  EXPECT_EQ(client.name(), "fake");
}

Block found_block(std::string_view json) { return OtherBlock{parse_json(json).value()}; }

TEST(ModelSearch, LetsTheProviderSearchAndReadsWhatItFound) {
  SystemClock clock;
  FakeModel model;
  model.will_answer({found_block(R"({"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"q"}})"),
                     found_block(R"({"type":"web_search_tool_result","tool_use_id":"s","content":[
                       {"type":"web_search_result","title":"A page","url":"https://a.example/x","page_age":"2 days"},
                       {"type":"web_search_result","title":"No address"}]})"),
                     text_of_model("It says so.")});
  const auto search = model_search(model, clock, "small");
  const auto found = search({.query = "what", .allowed_domains = {"a.example"}}, {});
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_EQ(found->hits.size(), 1U);
  EXPECT_EQ(found->hits[0].title, "A page");
  EXPECT_EQ(found->hits[0].url, "https://a.example/x");
  EXPECT_EQ(found->hits[0].snippet, "(2 days)");
  EXPECT_EQ(found->summary, "It says so.");
  EXPECT_EQ(found->searches, 1U);
  EXPECT_EQ(model.requests().at(0).tools,
            R"([{"type":"web_search_20260318","name":"web_search","max_uses":3,"allowed_domains":["a.example"]}])");
}

TEST(ModelSearch, SaysWhyNothingWasFound) {
  SystemClock clock;
  FakeModel model;
  const auto search = model_search(model, clock, "small");
  model.will_answer({found_block(R"({"type":"web_search_tool_result","tool_use_id":"s",
      "content":{"type":"web_search_tool_result_error","error_code":"too_many_requests"}})")});
  EXPECT_EQ(search({.query = "q"}, {}).error().message, "The model's search failed: too_many_requests.");
  model.will_answer({text_of_model("I know that by heart.")});
  EXPECT_EQ(search({.query = "q"}, {}).error().message,
            "The model did not search: it may not be able to (webSearch.provider in the settings).");
}

}  // namespace
}  // namespace deft
