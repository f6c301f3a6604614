#include <gtest/gtest.h>

#include <string>

#include "deft_print.h"

// What scripts and people write on the command line: nothing of it is passed over in silence, and who slips is helped.

namespace deft::testing {
namespace {

const Arguments kPrompt = {"-p", "What is this?"};

bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

TEST(CommandLine, ShortFlagsMayStandTogether) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("one"), anthropic_text("two")});
  EXPECT_EQ(place.run(model, kPrompt).exit_code, 0);
  const Finished second = place.run(model, {"-pc", "And now?"});
  EXPECT_EQ(second.output, "two\n") << second.errors;
  EXPECT_EQ(find_array(model.bodies().at(1), "messages")->size(), 3U);
}

TEST(CommandLine, AWordThatIsNoneIsAnsweredWithTheOneThatWasMeant) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  const Finished flag = place.run(model, kPrompt + Arguments{"--outputFormat", "json"});
  EXPECT_EQ(flag.exit_code, 1);
  EXPECT_TRUE(says(flag.errors, "is --output-format meant?")) << flag.errors;
  const Finished command = place.run(model, {"sesions", "list"});
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_TRUE(says(command.errors, "is sessions meant?")) << command.errors;
  EXPECT_TRUE(says(place.run(model, {"What is this?"}).errors, "deft -p"));
  EXPECT_TRUE(says(place.run(model, {"update"}).errors, "does not update itself"));
  EXPECT_TRUE(says(place.run(model, {"sessions", "lst"}).errors, "is list meant?"));
  EXPECT_TRUE(says(place.run(model, {"mcp", "remov"}).errors, "is remove meant?"));
  EXPECT_EQ(model.requests(), 0U);
}

TEST(CommandLine, HelpOfACommandIsThatOfTheCommand) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  for (const char* command : {"sessions", "mcp", "exec", "doctor", "-p"}) {
    const Finished help = place.run(model, {"help", command});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_EQ(help.output, place.run(model, {command, "--help"}).output) << command;
  }
  EXPECT_EQ(place.run(model, {"help", "nonsense"}).exit_code, 2);
}

TEST(CommandLine, APromptThatAListHasTakenIsLookedFor) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  const Finished run = place.run(model, {"-p", "--allowedTools", "Read", "What is this?"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run.errors, "--allowedTools")) << run.errors;
  EXPECT_EQ(place.run(model, {"-p", "--allowedTools", "Read", "--", "What is this?"}).exit_code, 0);
}

TEST(CommandLine, ASessionThatNobodyKeepsHasTheIdThatWasChosenForIt) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  const std::string id = "11111111-1111-4111-8111-111111111111";
  const auto lines = place.lines(model, kPrompt + Arguments{"--no-session-persistence", "--session-id", id});
  ASSERT_FALSE(lines.empty());
  for (const Json& line : lines) EXPECT_EQ(text_of(line, "session_id"), id);
  EXPECT_EQ(place.run(model, kPrompt + Arguments{"--no-session-persistence", "--fork-session"}).exit_code, 1);
}

TEST(CommandLine, AnAnswerThatEndsEarlySaysSo) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("never asked")});
  const std::string script = place.project.put("script", R"({"answer": "half", "stop_reason": "max_tokens"})");
  const Finished run = place.run(model, kPrompt + Arguments{"--script", script});
  EXPECT_EQ(run.output, "half\n");
  EXPECT_TRUE(says(run.errors, "ends early")) << run.errors;
}

TEST(CommandLine, WhatHasNoEffectIsSaid) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  EXPECT_TRUE(says(place.run(model, kPrompt + Arguments{"--include-hook-events"}).errors, "--include-hook-events"));
  const Finished unlimited = place.run(model, kPrompt + Arguments{"--max-budget-usd", "1"});
  EXPECT_EQ(unlimited.exit_code, 0);
  EXPECT_TRUE(says(unlimited.errors, "limits nothing")) << unlimited.errors;
  const std::string prices = R"({"prices":{"test-*":{"input":1,"output":1}}})";
  EXPECT_EQ(place.run(model, kPrompt + Arguments{"--max-budget-usd", "1", "--settings", prices}).errors, "");
}

TEST(CommandLine, HowThoughtIsShownMayBeSaidWithoutHowMuchThereIs) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  const Arguments thinks = {"--settings", R"({"alwaysThinkingEnabled":true})", "--thinking-display", "omitted"};
  EXPECT_EQ(place.run(model, kPrompt + thinks).exit_code, 0);
  EXPECT_EQ(to_json(*find(model.bodies().at(0), "thinking")), R"({"type":"adaptive","display":"omitted"})");
}

}  // namespace
}  // namespace deft::testing
