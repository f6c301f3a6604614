#include <gtest/gtest.h>

#include "deft/core/session_permissions.h"
#include "deft/testing/engine_bench.h"

// Calls that a call makes: there is one gate, and they pass it.

namespace deft {
namespace {

class CallWithinTest : public ::testing::Test {
 protected:
  explicit CallWithinTest() {
    bench.add_tool({.spec = {.name = "Outer"}, .run = [this](const Json&, ToolIo& io) -> Result<ToolResult> {
                      inner = io.call("Inner", JsonObject{{"say", "hello"}}, granted(io));
                      return ToolResult{.text = "outer: " + inner.text};
                    }});
    bench.add_tool(
        {.spec = {.name = "Inner",
                  .input_schema = parse_json(R"({"type":"object","properties":{"say":{"type":"string"}}})").value()},
         .run = [](const Json& input, ToolIo&) -> Result<ToolResult> {
           return ToolResult{.text = "said " + std::string(*find_string(input, "say"))};
         }});
  }

  std::shared_ptr<const Permissions> granted(const ToolIo& io) const {
    if (grant.empty()) return nullptr;
    TurnGrant given{.origin = "a test"};
    for (const std::string& rule : grant) given.rules.allow.push_back(read_rule(rule));
    return std::make_shared<const Permissions>(with_turn_grant(io.permissions->setup(), given));
  }
  std::string answer() {
    bench.call("1", "Outer");
    bench.finish();
    return bench.answers().at(0).result.text;
  }

  EngineBench bench{
      {.mode = Mode::normal, .rules = {.allow = {read_rule("Outer"), read_rule("Wrong"), read_rule("Asks")}}}};
  std::vector<std::string> grant;
  ToolResult inner;
};

TEST_F(CallWithinTest, AreDeniedWhereAPersonWouldHaveToBeAsked) {
  EXPECT_NE(answer().find("Permission to use Inner was denied: no rule allows it"), std::string::npos);
  EXPECT_EQ(inner.error, Errc::denied);
}

TEST_F(CallWithinTest, AreAllowedByWhatIsGrantedForThem) {
  grant = {"Inner"};
  EXPECT_EQ(answer(), "outer: said hello");
}

TEST_F(CallWithinTest, AreSeenByHooksWhichMayReplaceTheirInput) {
  grant = {"Inner"};
  std::vector<std::string> seen;
  bench.hooks.on[HookEvent::pre_tool_use] = [&](const HookMoment& moment, std::stop_token) {
    seen.push_back(moment.call->name);
    HookOutcome outcome;
    if (moment.call->name == "Inner") outcome.updated_input = JsonObject{{"say", "bye"}};
    return outcome;
  };
  EXPECT_EQ(answer(), "outer: said bye");
  EXPECT_EQ(seen, (std::vector<std::string>{"Outer", "Inner"}));
}

TEST_F(CallWithinTest, AreDeniedByHooks) {
  grant = {"Inner"};
  bench.hooks.on[HookEvent::pre_tool_use] = [](const HookMoment& moment, std::stop_token) {
    HookOutcome outcome;
    if (moment.call->name == "Inner") outcome.verdict = HookVerdict::deny;
    outcome.reason = "not today";
    return outcome;
  };
  EXPECT_NE(answer().find("not today"), std::string::npos);
}

TEST_F(CallWithinTest, AreInTheJournalBeforeTheyBeginAndWhenTheyHaveEnded) {
  grant = {"Inner"};
  answer();
  const std::string journal = bench.journal_text();
  const auto intent = journal.find(R"("intent")", journal.find(R"("1/1")") - 100);
  EXPECT_NE(intent, std::string::npos);
  EXPECT_NE(journal.find("said hello"), std::string::npos);
}

TEST_F(CallWithinTest, ThatDoNotExistOrDoNotFitAreAnswered) {
  bench.add_tool({.spec = {.name = "Wrong"},
                  .run = [](const Json&, ToolIo& io) -> Result<ToolResult> {
                    return ToolResult{.text = io.call("Missing", JsonObject(), nullptr).text + "|" +
                                              io.call("Inner", JsonObject{{"say", 1}}, nullptr).text};
                  },
                  .is_read_only = [](const Json&) { return true; }});
  bench.call("1", "Wrong");
  bench.finish();
  const std::string text = bench.answers().at(0).result.text;
  EXPECT_NE(text.find("No such tool available: Missing"), std::string::npos) << text;
  EXPECT_NE(text.find("|<tool_use_error>"), std::string::npos) << text;
}

TEST_F(CallWithinTest, ToToolsOfOthersAreRefused) {
  bench.add_tool({.spec = {.name = "Foreign", .origin = Origin::host},
                  .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "ran"}; }});
  bench.add_tool(
      {.spec = {.name = "Asks"},
       .run = [](const Json&, ToolIo& io) -> Result<ToolResult> { return io.call("Foreign", JsonObject(), nullptr); },
       .is_read_only = [](const Json&) { return true; }});
  bench.call("1", "Asks");
  bench.finish();
  EXPECT_NE(bench.answers().at(0).result.text.find("cannot be called from within"), std::string::npos);
}

}  // namespace
}  // namespace deft
