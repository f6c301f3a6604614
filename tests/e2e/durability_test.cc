#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "deft/testing/places.h"
#include "deft_print.h"

// `durability: disk`: what is on the disk when. The order is told by a library that the program is started with
// (preloaded/file_spy.cc).

namespace deft::testing {
namespace {

const char* const kSession = "5b3c5f5e-1c5a-4a55-8a5e-0d5f5b6c7d22";

struct Step {
  std::string what;         // "write", "sync", "rename"
  unsigned long inode = 0;  // of the file or folder
  std::string name;         // of a rename: its target; of a write: the type of the line

  bool operator==(const Step&) const = default;
};

class Durability : public ::testing::Test {
 protected:
  Durability() {
    place.project.put("a.txt", "one\n");
    place.environment = {std::string("LD_PRELOAD=") + DEFT_FILE_SPY, "DEFT_SPY_LOG=" + (place.home / "order")};
  }

  void run(const std::string& settings) {
    ModelPeer model(
        {anthropic_calls({{"read", "Read", {{"file_path", place.project / "a.txt"}}}}),
         anthropic_calls(
             {{"edit", "Edit", {{"file_path", place.project / "a.txt"}, {"old_string", "one"}, {"new_string", "1"}}}}),
         anthropic_calls({{"new", "Write", {{"file_path", place.project / "d/e/b.txt"}, {"content", "b\n"}}}}),
         anthropic_text("Done.")});
    const Finished finished = place.run(
        model, {"-p", "go", "--session-id", kSession, "--permission-mode", "acceptEdits", "--settings", settings});
    ASSERT_EQ(finished.exit_code, 0) << finished.errors;
    ASSERT_EQ(place.project.bytes("a.txt"), "1\n");
    std::istringstream lines(place.home.bytes("order").value_or(""));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      Step step;
      words >> step.what >> step.inode >> step.name;
      if (step.name == "draft") step.name = "intent";  // goes before it, in one write, while the message still streams
      steps.push_back(step);
    }
  }

  static unsigned long inode(const std::string& path) {
    struct stat status{};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_ino;
  }
  std::string session(const std::string& name) const {
    return place.home / (".local/state/deft/sessions/" + std::string(kSession) + name);
  }
  std::string image() const { return std::filesystem::directory_iterator(session("/before"))->path(); }

  // These happened in this order, whatever was between them.
  void expect_order(const std::vector<Step>& wanted) const {
    auto at = steps.begin();
    for (const Step& step : wanted) {
      at = std::find(at, steps.end(), step);
      ASSERT_NE(at, steps.end()) << step.what << " " << step.inode << " " << step.name << " is missing in\n" << told();
      ++at;
    }
  }
  std::string told() const { return place.home.bytes("order").value_or(""); }

  PrintPlace place;
  std::vector<Step> steps;
};

TEST_F(Durability, WhatHasAnEffectIsOnTheDiskBeforeItBeginsAndItsResultBeforeAnyoneIsTold) {
  run(R"({"durability": "disk"})");
  const unsigned long journal = inode(session("/journal.jsonl"));
  const unsigned long changes = inode(session("/changes.jsonl"));
  const std::string kept = image();
  expect_order({
      {"sync", inode(session("")), ""},  // the journal's name
      {"write", journal, "intent"},
      {"sync", journal, ""},      // before anything happens to the file
      {"sync", inode(kept), ""},  // its old content,
      {"rename", 0, std::filesystem::path(kept).filename()},
      {"sync", inode(session("/before")), ""},  // with its name,
      {"write", changes, "change"},             // and how to find it
      {"sync", changes, ""},
      {"sync", inode(session("")), ""},
      {"sync", inode(place.project / "a.txt"), ""},  // the new content, before it takes the place of the old
      {"rename", 0, "a.txt"},
      {"sync", inode(place.project.path()), ""},
      {"write", journal, "result"},
      {"sync", journal, ""},
      {"write", journal, "results"},  // before the next request
      {"sync", journal, ""},
  });
  expect_order({{"write", journal, "intent"},
                {"sync", inode(place.project / "d/e/b.txt"), ""},
                {"rename", 0, "b.txt"},
                {"sync", inode(place.project / "d/e"), ""},
                {"sync", inode(place.project / "d"), ""},
                {"sync", inode(place.project.path()), ""},
                {"write", journal, "result"},
                {"sync", journal, ""}});
  // The last word, when the turn is over.
  const auto last = std::find(steps.rbegin(), steps.rend(), Step{"write", journal, "message"});
  EXPECT_NE(std::find(steps.rbegin(), last, Step{"sync", journal, ""}), last) << told();
}

// The kernel tells it once, and forgets what it could not write.
TEST_F(Durability, AJournalThatHasLostSomethingLetsNothingBeginAnyMore) {
  place.environment.push_back("DEFT_SPY_LOST=intent");
  ModelPeer model({anthropic_calls({{"first", "Write", {{"file_path", place.project / "b.txt"}, {"content", "b\n"}}}}),
                   anthropic_calls({{"second", "Write", {{"file_path", place.project / "c.txt"}, {"content", "c\n"}}}}),
                   anthropic_text("Done.")});
  const Finished finished =
      place.run(model, {"-p", "go", "--permission-mode", "acceptEdits", "--settings", R"({"durability": "disk"})"});
  EXPECT_NE(finished.errors.find("the journal cannot be brought to the disk"), std::string::npos) << finished.errors;
  EXPECT_EQ(place.project.bytes("b.txt"), std::nullopt);
  EXPECT_EQ(place.project.bytes("c.txt"), std::nullopt);
}

TEST_F(Durability, NobodyWaitsForTheDiskUnlessItIsAskedFor) {
  run("{}");
  EXPECT_TRUE(std::ranges::none_of(steps, [](const Step& step) { return step.what == "sync"; })) << told();
}

}  // namespace
}  // namespace deft::testing
