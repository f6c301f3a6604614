#include "deft/agent/undo_plan.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "deft/agent/journal.h"
#include "deft/os/disk_files.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

using What = UndoTarget::What;

// A session by hand: calls with their entries in the journal, and changes as file tools make them.
class UndoPlanTest : public ::testing::Test {
 protected:
  UndoPlanTest() {
    auto opened = Journal::open(folder / "s", clock);
    EXPECT_TRUE(opened);
    journal.emplace(std::move(*opened));
  }
  void turn() { ASSERT_TRUE(journal->append(JournalEntry("turn"))); }
  void answered() {  // the model has got its results
    ASSERT_TRUE(journal->append(JournalEntry("message").text("content", R"([{"type":"tool_use"}])")));
    ASSERT_TRUE(journal->append(JournalEntry("results")));
  }
  void begin(const std::string& call, const std::string& tool, Json input = JsonObject()) {
    ASSERT_TRUE(journal->intent({.id = call, .name = tool, .input = std::move(input)}));
  }
  void write(const std::string& call, const std::string& name, std::string_view text) {
    begin(call, "Write", JsonObject{{"file_path", folder / name}});
    record(call, name, text);
    folder.put(name, text);
  }
  void record(const std::string& call, const std::string& name, std::string_view text) {
    const auto before = folder.bytes(name);
    EXPECT_EQ(changes.keep({.path = folder / name,
                            .before = before ? std::optional(content_id(*before)) : std::nullopt,
                            .after = content_id(text),
                            .mode = 0644,
                            .call_id = call},
                           before.value_or("")),
              "");
  }
  Result<UndoPlan> plan(const UndoTarget& target) {
    return plan_undo(folder / "s/journal.jsonl", target, changes, files);
  }
  std::vector<std::string> undo(const UndoTarget& target) {
    auto planned = plan(target);
    EXPECT_TRUE(planned) << planned.error().message;
    if (!planned) return {};
    return carry_out(*planned, changes, files).value_or(std::vector<std::string>{"error"});
  }

  const TempFolder folder;
  const SystemClock clock;
  DiskFiles files{Survives::killed};
  FileChanges changes{folder / "s"};
  std::optional<Journal> journal;
};

TEST_F(UndoPlanTest, EverythingSinceAPromptIsTakenBackWhoeverDidIt) {
  const auto prompt = [&](std::string_view uuid) {
    ASSERT_TRUE(journal->append(JournalEntry("prompt").text("content", "[]").text("uuid", uuid)));
  };
  folder.put("a", "a0");
  prompt("p1");
  write("1", "a", "a1");
  prompt("p2");
  write("2", "a", "a2");
  write("3", "new", "n1");
  // By a subagent: its calls are in a journal of its own.
  auto of_subagent = Journal::open(folder / "s/subagents", clock, {}, "agent-a1.jsonl");
  ASSERT_TRUE(of_subagent);
  ASSERT_TRUE(of_subagent->intent({.id = "4", .name = "Write", .input = JsonObject()}));
  folder.put("b", "b0");
  record("4", "b", "b1");
  folder.put("b", "b1");

  auto planned = plan_rewind(folder / "s", "p2", changes, files);
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_TRUE(planned->refused.empty());
  EXPECT_EQ(carry_out(*planned, changes, files).value().size(), 3U);
  EXPECT_EQ(folder.bytes("a"), "a1");
  EXPECT_EQ(folder.bytes("b"), "b0");
  EXPECT_EQ(folder.bytes("new"), std::nullopt);
  planned = plan_rewind(folder / "s", "p1", changes, files);
  ASSERT_TRUE(planned);
  EXPECT_EQ(carry_out(*planned, changes, files).value().size(), 1U);
  EXPECT_EQ(folder.bytes("a"), "a0");
  EXPECT_TRUE(plan_rewind(folder / "s", "p1", changes, files)->files.empty());  // nothing is left
  EXPECT_FALSE(plan_rewind(folder / "s", "p3", changes, files));
}

TEST_F(UndoPlanTest, ACallAMessageOrATurnIsTakenBackExactly) {
  folder.put("a", "a0");
  folder.put("b", "b0");
  turn();
  write("1", "a", "a1");
  write("2", "new", "n1");
  answered();
  write("3", "a", "a2");
  write("4", "b", "b1");
  answered();

  EXPECT_EQ(undo({.what = What::call}).size(), 1U);  // the last
  EXPECT_EQ(folder.bytes("b"), "b0");
  EXPECT_EQ(undo({.what = What::message}).size(), 1U);  // the last with something left to undo
  EXPECT_EQ(folder.bytes("a"), "a1");
  EXPECT_EQ(undo({.what = What::turn}).size(), 2U);
  EXPECT_EQ(folder.bytes("a"), "a0");
  EXPECT_EQ(folder.bytes("new"), std::nullopt);
  EXPECT_EQ(plan({}).error().code, Errc::not_found);
}

TEST_F(UndoPlanTest, SeveralChangesOfOneFileAreUndoneAsOne) {
  folder.put("a", "one\ntwo\nthree\n");
  turn();
  write("1", "a", "one\n2\nthree\n");
  write("2", "a", "one\n2\n3\n");
  const auto planned = plan({});
  ASSERT_TRUE(planned);
  ASSERT_EQ(planned->files.size(), 1U);
  EXPECT_EQ(planned->files[0].changes.size(), 2U);
  EXPECT_NE(planned->files[0].patch.find("-2\n-3\n+two\n+three\n"), std::string::npos) << planned->files[0].patch;
  EXPECT_EQ(folder.bytes("a"), "one\n2\n3\n");  // a plan changes nothing
  undo({});
  EXPECT_EQ(folder.bytes("a"), "one\ntwo\nthree\n");
}

TEST_F(UndoPlanTest, WhatSomebodyHasChangedSinceIsLeftAlone) {
  folder.put("a", "a0");
  turn();
  write("1", "a", "a1");
  write("1b", "b", "b1");
  folder.put("a", "by hand");
  auto planned = plan({});
  ASSERT_TRUE(planned);
  ASSERT_EQ(planned->refused.size(), 1U);
  EXPECT_EQ(planned->refused[0].what, folder / "a");
  EXPECT_EQ(planned->files.size(), 1U);
  folder.put("b", "by hand too");  // after the plan
  EXPECT_TRUE(carry_out(*planned, changes, files)->empty());
  EXPECT_EQ(planned->refused.size(), 2U);
  EXPECT_EQ(folder.bytes("a"), "by hand");
  EXPECT_EQ(folder.bytes("b"), "by hand too");
}

TEST_F(UndoPlanTest, AnEarlierChangeIsNotUndoneUnderALaterOne) {
  folder.put("a", "a0");
  turn();
  write("1", "a", "a1");
  answered();
  write("2", "a", "a2");
  answered();
  const auto planned = plan({.what = What::call, .call_id = "1"});
  ASSERT_TRUE(planned);
  ASSERT_EQ(planned->refused.size(), 1U);
  EXPECT_NE(planned->refused[0].why.find("call 2"), std::string::npos);
  EXPECT_EQ(undo({.what = What::call, .call_id = "2"}).size(), 1U);
  EXPECT_EQ(undo({.what = What::call, .call_id = "1"}).size(), 1U);
  EXPECT_EQ(folder.bytes("a"), "a0");
}

TEST_F(UndoPlanTest, WhatNoFileToolDidIsNamed) {
  turn();
  write("1", "a", "a1");
  begin("2", "Bash", JsonObject{{"command", "make\ninstall"}});
  const auto planned = plan({});
  ASSERT_TRUE(planned);
  ASSERT_EQ(planned->cannot.size(), 1U);
  EXPECT_EQ(planned->cannot[0].what, "Bash: make install");
  EXPECT_EQ(plan({.what = What::call, .call_id = "2"})->cannot.size(), 1U);
}

TEST_F(UndoPlanTest, WhereOneFileCannotBeUndoneNoneIs) {
  for (const char* name : {"a", "b", "c"}) folder.put(name, "0");
  turn();
  for (const char* name : {"a", "b", "c"}) write(name, name, "1");
  write("d", "d", "1");
  auto planned = plan({});
  ASSERT_TRUE(planned);
  ASSERT_EQ(planned->files.size(), 4U);
  folder.put("c", "by hand");  // after the plan
  EXPECT_TRUE(carry_out(*planned, changes, files)->empty());
  EXPECT_EQ(planned->refused.size(), 4U);
  for (const char* name : {"a", "b", "d"}) EXPECT_EQ(folder.bytes(name), "1") << name;
  EXPECT_EQ(folder.bytes("c"), "by hand");
  folder.put("c", "1");
  EXPECT_EQ(undo({}).size(), 4U);  // nothing counts as undone yet
  EXPECT_EQ(folder.bytes("d"), std::nullopt);
}

TEST_F(UndoPlanTest, OtherPermissionsAreSomebodyElsesChange) {
  folder.put("a", "a0");
  ASSERT_EQ(::chmod((folder / "a").c_str(), 0644), 0);
  turn();
  write("1", "a", "a1");
  ASSERT_EQ(::chmod((folder / "a").c_str(), 0755), 0);
  const auto planned = plan({});
  ASSERT_TRUE(planned);
  ASSERT_EQ(planned->refused.size(), 1U);
  EXPECT_NE(planned->refused[0].why.find("from 0644 to 0755"), std::string::npos) << planned->refused[0].why;
  ASSERT_EQ(::chmod((folder / "a").c_str(), 0644), 0);
  EXPECT_EQ(undo({}).size(), 1U);
}

TEST_F(UndoPlanTest, FoldersThatWereMadeForAFileGoWithItIfTheyAreEmpty) {
  std::filesystem::create_directory(folder / "old");
  turn();
  write("1", "old/new/deep/a", "a");
  write("2", "old/other/b", "b");
  folder.put("old/other/mine", "by hand");
  EXPECT_EQ(undo({}).size(), 2U);
  EXPECT_EQ(folder.names("old"), std::vector<std::string>{"other"});
  EXPECT_EQ(folder.names("old/other"), std::vector<std::string>{"mine"});
}

TEST_F(UndoPlanTest, WhoWasKilledWhileUndoingGoesOn) {
  folder.put("a", "a0");
  folder.put("b", "b0");
  turn();
  write("1", "a", "a1");
  write("2", "a", "a2");
  write("3", "b", "b1");
  folder.put("a", "a0");  // undone, and not written down
  EXPECT_EQ(undo({}), std::vector<std::string>{folder / "b"});
  EXPECT_EQ(folder.bytes("a"), "a0");
  EXPECT_EQ(plan({}).error().code, Errc::not_found);
}

TEST_F(UndoPlanTest, FoldersThatSomeoneWhoWasKilledWhileUndoingHasLeftGoToo) {
  turn();
  write("1", "new/deep/a", "a");
  std::filesystem::remove(folder / "new/deep/a");
  const auto planned = plan({});
  ASSERT_TRUE(planned);
  EXPECT_TRUE(planned->is_for_nobody());
  EXPECT_TRUE(undo({}).empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  EXPECT_EQ(plan({}).error().code, Errc::not_found);
}

TEST_F(UndoPlanTest, WhoIsKilledBetweenTwoFoldersLeavesNoneWhenItIsDoneAgain) {
  turn();
  write("1", "new/deep/er/a", "a");
  std::filesystem::remove_all(folder / "new/deep");
  EXPECT_TRUE(undo({}).empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
}

TEST_F(UndoPlanTest, WhatAKilledWriteHasLeftBesideItsFileGoesToo) {
  folder.put("a", "a0");
  turn();
  begin("1", "Write");
  record("1", "a", "a1");
  begin("2", "Write");
  record("2", "new/b", "b1");
  folder.put(".a.deft-tmp-k3x4qa", "a");
  begin("3", "Write");  // at the same time: the folder is there by now
  folder.put("new/.b.deft-tmp-k3x4qa", "b");
  record("3", "new/c", "c1");
  folder.put("new/.c.deft-tmp-k3x4qa", "c");
  EXPECT_TRUE(undo({}).empty());
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a", "s"}));
}

// Removed by one call and made by another, it is another file; what comes back is the first one.
TEST_F(UndoPlanTest, AFileThatWasRemovedAndMadeAnewComesBackAsItWas) {
  folder.put("a", "a0", 0754);
  turn();
  begin("1", "apply_patch");
  EXPECT_EQ(changes.keep(
                {.path = folder / "a", .before = content_id("a0"), .after = std::nullopt, .mode = 0754, .call_id = "1"},
                "a0"),
            "");
  std::filesystem::remove(folder / "a");
  write("2", "a", "a1");
  ASSERT_EQ(::chmod((folder / "a").c_str(), 0600), 0);
  EXPECT_EQ(undo({}).size(), 1U);
  EXPECT_EQ(folder.bytes("a"), "a0");
  EXPECT_EQ(files.status(folder / "a")->mode, 0754U);
}

TEST_F(UndoPlanTest, AFileThatWasRemovedHasItsOwnerAgain) {
  // Only root may give files to others.
  const bool is_root = ::geteuid() == 0;
  const uid_t user = is_root ? 1234 : ::geteuid();
  const gid_t group = is_root ? 2345 : ::getegid();
  folder.put("a", "a0");
  ASSERT_EQ(::chown((folder / "a").c_str(), user, group), 0);
  ASSERT_EQ(::chmod((folder / "a").c_str(), 04755), 0);
  turn();
  begin("1", "apply_patch");
  EXPECT_EQ(
      changes.keep(
          {.path = folder / "a", .before = content_id("a0"), .after = std::nullopt, .mode = 04755, .call_id = "1"},
          "a0"),
      "");
  std::filesystem::remove(folder / "a");
  EXPECT_EQ(undo({}).size(), 1U);
  struct stat now{};
  ASSERT_EQ(::stat((folder / "a").c_str(), &now), 0);
  EXPECT_EQ(now.st_uid, user);
  EXPECT_EQ(now.st_gid, group);
  EXPECT_EQ(now.st_mode & 07777U, 04755U);
}

TEST_F(UndoPlanTest, WhereNothingIsLeftItNamesWhatCannotBeTakenBack) {
  turn();
  begin("1", "Bash", JsonObject{{"command", "make install"}});
  const auto planned = plan({});
  ASSERT_FALSE(planned);
  EXPECT_NE(planned.error().message.find("Bash: make install"), std::string::npos) << planned.error().message;
}

TEST_F(UndoPlanTest, AFileOutsideOfWhereItMayReachIsRefused) {
  turn();
  write("1", "inside/a", "a");
  write("2", "b", "b");
  const auto planned = plan_undo(folder / "s/journal.jsonl", {}, changes, files, folder / "inside");
  ASSERT_TRUE(planned);
  ASSERT_EQ(planned->files.size(), 1U);
  EXPECT_EQ(planned->files[0].path, folder / "inside/a");
  ASSERT_EQ(planned->refused.size(), 1U);
  EXPECT_EQ(planned->refused[0].what, folder / "b");
}

TEST_F(UndoPlanTest, WhatSubagentsDidBelongsToTheCallThatStartedThem) {
  folder.put("a", "a0");
  turn();
  write("0", "before", "x");
  answered();
  turn();
  begin("agent", "Agent", JsonObject{{"description", "change it"}});
  const auto subagent = [&](const std::string& name, const std::string& started_by) {
    auto opened = Journal::open(folder / "s/subagents", clock, {}, "agent-" + name + ".jsonl");
    EXPECT_TRUE(opened->state(kStartedByState, JsonObject{{"call", started_by}}));
    return std::move(*opened);
  };
  const auto write_as = [&](Journal& whose, const std::string& call, const std::string& name) {
    ASSERT_TRUE(whose.intent({.id = call, .name = "Write", .input = JsonObject{{"file_path", folder / name}}}));
    record(call, name, "sub");
    folder.put(name, "sub");
  };
  Journal first = subagent("x1", "agent");
  write_as(first, "s1", "a");
  ASSERT_TRUE(first.intent({.id = "s2", .name = "Bash", .input = JsonObject{{"command", "make"}}}));
  ASSERT_TRUE(first.intent({.id = "deeper", .name = "Agent", .input = JsonObject()}));
  Journal second = subagent("x2", "deeper");
  write_as(second, "t1", "b");

  const auto planned = plan({});
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->title, "turn 2");
  EXPECT_EQ(planned->files.size(), 2U);
  ASSERT_EQ(planned->cannot.size(), 1U) << "the command of the subagent, not the call of Agent";
  EXPECT_EQ(planned->cannot[0].what, "Bash: make");
  EXPECT_EQ(undo({.what = What::call, .call_id = "deeper"}), std::vector<std::string>{folder / "b"});
  EXPECT_EQ(undo({.what = What::call, .call_id = "agent"}), std::vector<std::string>{folder / "a"});
  EXPECT_EQ(folder.bytes("a"), "a0");
  EXPECT_TRUE(folder.bytes("before"));
}

TEST_F(UndoPlanTest, AChangeThatWasRecordedButNeverMadeIsPassedOver) {
  folder.put("a", "a0");
  turn();
  write("1", "a", "a1");
  begin("2", "Write");
  record("2", "a", "a2");  // and then the process was killed
  EXPECT_EQ(undo({}).size(), 1U);
  EXPECT_EQ(folder.bytes("a"), "a0");
  EXPECT_FALSE(plan({}));
}

TEST_F(UndoPlanTest, ANameWithALineEndForgesNoLineOfThePatch) {
  turn();
  write("1", "a\n+++ b", "x");
  const auto planned = plan({});
  ASSERT_TRUE(planned);
  ASSERT_EQ(planned->files.size(), 1U);
  EXPECT_TRUE(planned->files[0].patch.starts_with("--- \"/")) << planned->files[0].patch;
  EXPECT_EQ(planned->files[0].patch.find("\n+++ b"), std::string::npos);
  EXPECT_EQ(undo({}).size(), 1U);
}

TEST(EffectsOfSession, StayInTheirOrderWhenTheClockJumpsBack) {
  const TempFolder elsewhere;
  elsewhere.put("journal.jsonl",
                "{\"type\":\"journal\",\"version\":2}\n"
                "{\"type\":\"intent\",\"time_ms\":5000,\"call\":\"1\",\"tool\":\"Write\",\"input\":{}}\n"
                "{\"type\":\"intent\",\"time_ms\":1000,\"call\":\"2\",\"tool\":\"Write\",\"input\":{}}\n");
  const auto effects = effects_of_session(elsewhere / "journal.jsonl");
  ASSERT_TRUE(effects);
  ASSERT_EQ(effects->size(), 2U);
  EXPECT_EQ(effects->back().call_id, "2");
}

TEST(UndoTargetTest, IsGivenInWords) {
  EXPECT_EQ(parse_undo_target({})->what, What::turn);
  EXPECT_EQ(parse_undo_target({"turn", "3"})->number, 3U);
  EXPECT_EQ(parse_undo_target({"message"})->what, What::message);
  EXPECT_EQ(parse_undo_target({"call", "toolu_1"})->call_id, "toolu_1");
  EXPECT_EQ(parse_undo_target({"toolu_1"})->call_id, "toolu_1");
  EXPECT_FALSE(parse_undo_target({"turn", "x"}));
  EXPECT_FALSE(parse_undo_target({"turn", "0"}));
  EXPECT_FALSE(parse_undo_target({"toolu_1", "2"}));
  EXPECT_FALSE(parse_undo_target({"turn", "1", "2"}));
}

}  // namespace
}  // namespace deft
