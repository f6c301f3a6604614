#include "deft/core/shown_results.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

LeavingResult result(std::string id, std::string identity, std::uint64_t call_key = 1) {
  return {.call_id = std::move(id),
          .title = "Bash(cat notes)",
          .call_key = call_key,
          .identity = std::move(identity),
          .characters = 1'000,
          .read_only = true};
}

TEST(ShownResults, WhatIsThereAlreadyIsReferredTo) {
  ShownResults shown;
  EXPECT_FALSE(shown.add(result("1", "a", 1)).instead);
  EXPECT_FALSE(shown.add(result("2", "b", 2)).instead);
  EXPECT_FALSE(shown.add(result("same message", "a", 2)).instead);
  shown.end_message();
  const auto again = shown.add(result("3", "a", 3)).instead;
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, "(The same result as that of the earlier call Bash(cat notes), id 1: it is not repeated here.)");
}

TEST(ShownResults, AShortResultIsRepeated) {
  ShownResults shown;
  LeavingResult brief = result("1", "a");
  brief.characters = kRepeatedResultCharactersMin - 1;
  shown.add(brief);
  shown.end_message();
  EXPECT_FALSE(shown.add(brief).instead);
}

TEST(ShownResults, NothingRefersToADiscardedMessageOrAForgottenContext) {
  ShownResults shown;
  shown.add(result("1", "kept"));
  shown.end_message();
  shown.add(result("2", "discarded"));
  shown.discard_message();
  shown.end_message();
  EXPECT_FALSE(shown.add(result("3", "discarded")).instead);
  EXPECT_TRUE(shown.add(result("4", "kept")).instead);
  shown.forget();
  EXPECT_FALSE(shown.add(result("5", "kept")).instead);
}

TEST(ShownResults, ManyResultsCostBoundedMemory) {
  ShownResults shown;
  for (std::size_t i = 0; i <= kResultsRememberedMax; ++i) shown.add(result("id", "r" + std::to_string(i), i));
  shown.end_message();
  EXPECT_FALSE(shown.add(result("again", "r0", 0)).instead) << "the oldest is forgotten";
  EXPECT_TRUE(shown.add(result("again", "r10000", 0)).instead);
}

std::string note_after(ShownResults& shown, const LeavingResult& leaving) {
  std::string note = shown.add(leaving).note;
  shown.end_message();
  return note;
}

TEST(ShownResults, TheThirdTimeTheModelIsToldThatItGoesInCircles) {
  ShownResults shown;
  EXPECT_EQ(note_after(shown, result("1", "a")), "");
  EXPECT_EQ(note_after(shown, result("2", "a")), "");
  EXPECT_NE(note_after(shown, result("3", "a")).find("made 3 times"), std::string::npos);
  EXPECT_NE(note_after(shown, result("4", "a")).find("made 4 times"), std::string::npos);
  EXPECT_EQ(note_after(shown, result("5", "b")), "") << "another result";
  EXPECT_EQ(note_after(shown, result("6", "a")), "");
}

TEST(ShownResults, ACallThatChangesSomethingMakesOldQuestionsNew) {
  ShownResults shown;
  note_after(shown, result("1", "a"));
  note_after(shown, result("2", "a"));
  LeavingResult edit = result("3", "done", 99);
  edit.read_only = false;
  note_after(shown, edit);
  EXPECT_EQ(note_after(shown, result("4", "a")), "");
}

TEST(ShownResults, TheSameChangeOverAndOverIsALoopToo) {
  ShownResults shown;
  LeavingResult make = result("1", "error");
  make.read_only = false;
  note_after(shown, make);
  note_after(shown, make);
  EXPECT_NE(note_after(shown, make), "");
}

TEST(ShownResults, CallsOfOneMessageAndCallsThatWaitAreNoLoop) {
  ShownResults shown;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(shown.add(result(std::to_string(i), "a")).note, "");
  ShownResults waits;
  LeavingResult poll = result("1", "running");
  poll.waited = true;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(note_after(waits, poll), "");
}

}  // namespace
}  // namespace deft
