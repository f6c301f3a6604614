#include "deft/ui/question_dialog.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

const Json kInput = *parse_json(R"json({"questions":[
  {"question":"Which one?","header":"One","options":[{"label":"A","description":"first"},{"label":"B","description":""}],"multiSelect":false},
  {"question":"Which ones?","header":"Some","options":[{"label":"X","description":""},{"label":"Y","description":""}],"multiSelect":true}]})json");

TEST(QuestionDialog, NumbersChooseAndOwnWordsAreKept) {
  QuestionDialog dialog(kInput);
  EXPECT_NE(dialog.prompt().find("1. A: first"), std::string::npos);
  dialog.take_line("2");
  EXPECT_FALSE(dialog.is_done());
  dialog.take_line("1, 2");
  EXPECT_TRUE(dialog.is_done());
  const Json answered = dialog.answered();
  EXPECT_EQ(find_string(*find(answered, "answers"), "Which one?"), "B");
  EXPECT_EQ(find_string(*find(answered, "answers"), "Which ones?"), "X, Y");

  QuestionDialog other(kInput);
  other.take_line("neither, try C");
  other.take_line("1");
  EXPECT_EQ(find_string(*find(other.answered(), "answers"), "Which one?"), "neither, try C");
}

TEST(QuestionDialog, ANumberThatIsNoneIsAskedAgain) {
  QuestionDialog dialog(kInput);
  EXPECT_NE(dialog.take_line("7").find("there is no 7"), std::string::npos);
  EXPECT_NE(dialog.take_line("1,2").find("only one"), std::string::npos);
  EXPECT_NE(dialog.take_line(" ").find("Which one?"), std::string::npos);
  EXPECT_FALSE(dialog.is_done());
}

TEST(QuestionDialog, WhatAStrangerWroteIsShownHarmlessly) {
  const Json input =
      *parse_json("{\"questions\":[{\"question\":\"a\\u001b[2J?\",\"options\":[],\"multiSelect\":false}]}");
  EXPECT_EQ(QuestionDialog(input).prompt().find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace deft
