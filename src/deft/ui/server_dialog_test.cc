#include "deft/ui/server_dialog.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

ServerAsked asked(PromptKind kind, std::string_view schema = "null") {
  return {.id = "perm_1",
          .kind = kind,
          .server = "tracker",
          .message = "Tell me\x1B[2J",
          .details = *parse_json(schema),
          .url = "https://good.example@evil.example/login?x=1"};
}

constexpr std::string_view kSchema = R"({"type":"object","required":["name","size"],"properties":{
  "name":{"type":"string","title":"Your name","minLength":2},
  "size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}]},
  "count":{"type":"integer","minimum":1},
  "sure":{"type":"boolean"},
  "tags":{"type":"array","items":{"type":"string","enum":["red","blue"]}}}})";

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(ServerDialog, NamesTheServerAndShowsItsWordsHarmlessly) {
  const std::string shown = ServerDialog(asked(PromptKind::elicitation_form, kSchema)).opening();
  EXPECT_TRUE(holds(shown, "--- the server tracker asks you for something"));
  EXPECT_TRUE(holds(shown, "  | Tell me\\x1b[2J\n")) << shown;
  EXPECT_TRUE(holds(shown, "  name (required)\n"));
}

TEST(ServerDialog, ShowsTheHostThatAPageIsReallyOn) {
  ServerDialog dialog(asked(PromptKind::elicitation_url));
  EXPECT_TRUE(holds(dialog.opening(), "host: evil.example\n")) << dialog.opening();
  const auto step = dialog.take_line("y");
  ASSERT_TRUE(step.answer);
  EXPECT_EQ(step.answer->action, ServerAnswer::Action::accept);
}

TEST(ServerDialog, FillsInAFormFieldByField) {
  ServerDialog dialog(asked(PromptKind::elicitation_form, kSchema));
  EXPECT_TRUE(holds(dialog.take_line("y").text, "Your name"));
  EXPECT_TRUE(holds(dialog.take_line("").text, "Your name")) << "it is required";
  EXPECT_TRUE(holds(dialog.take_line("Ada").text, "2. Large"));
  EXPECT_TRUE(holds(dialog.take_line("3").text, "2. Large")) << "there is no third";
  EXPECT_TRUE(holds(dialog.take_line("2").text, "a whole number"));
  EXPECT_TRUE(holds(dialog.take_line("").text, "y or n"));
  EXPECT_TRUE(holds(dialog.take_line("yes").text, "numbers with commas"));
  const auto step = dialog.take_line("1, blue");
  ASSERT_TRUE(step.answer);
  EXPECT_EQ(to_json(step.answer->content), R"({"name":"Ada","size":"l","sure":true,"tags":["red","blue"]})");
}

TEST(ServerDialog, WhatDoesNotFitTheSchemaIsNotSent) {
  ServerDialog dialog(asked(PromptKind::elicitation_form, kSchema));
  dialog.take_line("y");
  for (const char* line : {"A", "s", "", ""}) EXPECT_FALSE(dialog.take_line(line).answer);
  const auto step = dialog.take_line("");
  EXPECT_FALSE(step.answer);
  EXPECT_TRUE(holds(step.text, "does not want it so")) << step.text;
  EXPECT_TRUE(holds(dialog.take_line("y").text, "Your name")) << "from the beginning";
}

TEST(ServerDialog, CanBeDeclinedAtAnyMoment) {
  for (const PromptKind kind : {PromptKind::elicitation_form, PromptKind::elicitation_url, PromptKind::sampling}) {
    EXPECT_EQ(ServerDialog(asked(kind, kSchema)).take_line("n").answer->action, ServerAnswer::Action::decline);
  }
  ServerDialog dialog(asked(PromptKind::elicitation_form, kSchema));
  EXPECT_FALSE(dialog.take_line("Y").answer);
  dialog.take_line("y");
  EXPECT_EQ(dialog.take_line("-").answer->action, ServerAnswer::Action::decline);
  EXPECT_EQ(ServerDialog(asked(PromptKind::elicitation_form)).take_line("c").answer->action,
            ServerAnswer::Action::cancel);
}

TEST(ServerDialog, AFormWithoutFieldsIsAQuestionForConsent) {
  const auto step = ServerDialog(asked(PromptKind::elicitation_form)).take_line("y");
  ASSERT_TRUE(step.answer);
  EXPECT_EQ(to_json(step.answer->content), "{}");
}

}  // namespace
}  // namespace deft
