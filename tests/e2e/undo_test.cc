#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "deft/testing/places.h"
#include "deft_exec.h"
#include "deft_print.h"

// What `deft undo` takes back, of a session that `deft exec` has kept.

namespace deft::testing {
namespace {

class Undo : public ::testing::Test {
 protected:
  Finished undo(Arguments words) {
    Arguments argv{DEFT_PROGRAM, "undo", "--session", folder / "session"};
    argv.insert(argv.end(), words.begin(), words.end());
    Program program({.argv = std::move(argv), .environment = {"PATH=/usr/bin:/bin"}, .directory = folder.path()});
    program.close_input();
    Finished finished;
    while (const auto line = program.read_line()) finished.output += *line + "\n";
    finished.exit_code = program.wait();
    finished.errors = program.errors();
    return finished;
  }

  const TempFolder folder;
  const Arguments arguments = {"--permission-mode", "bypassPermissions", "--session", "session"};
};

TEST_F(Undo, ShowsTheDifferenceTakesBackTheFileAndNamesTheCommand) {
  folder.put("a.txt", "one\ntwo\n");
  {
    DeftExec deft(folder, arguments);
    deft.read("1", folder / "a.txt");
    deft.send_line(R"({"type":"end"})");
    deft.edit("2", folder / "a.txt", "two", "2");
    deft.write("3", folder / "new/b.txt", "b");
    deft.bash("4", "touch made-by-a-command");
    EXPECT_EQ(deft.finish(), 0);
  }
  ASSERT_EQ(folder.bytes("a.txt"), "one\n2\n");

  const Finished nobody = undo({});
  EXPECT_EQ(nobody.exit_code, 1);  // nobody to ask
  EXPECT_EQ(folder.bytes("a.txt"), "one\n2\n");

  const Finished done = undo({"--yes"});
  EXPECT_EQ(done.exit_code, 0) << done.output << done.errors;
  EXPECT_NE(done.output.find("-2\n+two\n"), std::string::npos) << done.output;
  EXPECT_NE(done.output.find("Bash: touch made-by-a-command"), std::string::npos) << done.output;
  EXPECT_EQ(folder.bytes("a.txt"), "one\ntwo\n");
  EXPECT_EQ(folder.bytes("new/b.txt"), std::nullopt);
  EXPECT_TRUE(folder.bytes("made-by-a-command"));
  EXPECT_EQ(undo({"--yes"}).exit_code, 2);  // nothing is left
  const Finished command = undo({"4", "--yes"});
  EXPECT_EQ(command.exit_code, 1);
  EXPECT_NE(command.output.find("cannot   Bash: touch made-by-a-command"), std::string::npos) << command.output;
}

TEST_F(Undo, TakesBackAPatchAsAWhole) {
  folder.put("a.txt", "one\r\ntwo");
  folder.put("old.txt", "old\n");
  folder.put("from.sh", "#!/bin/sh\n", 0755);
  {
    DeftExec deft(folder, {"--permission-mode", "bypassPermissions", "--session", "session", "--settings",
                           R"({"editTool":"apply_patch"})"});
    for (const char* name : {"a.txt", "old.txt", "from.sh"}) deft.read(name, folder / name);
    deft.send_line(R"({"type":"end"})");
    deft.call(
        "patch", "apply_patch",
        {{"input",
          "*** Begin Patch\n*** Update File: a.txt\n-two\n+2\n*** Delete File: old.txt\n*** Update File: from.sh\n"
          "*** Move to: bin/to.sh\n*** Add File: new/b.txt\n+b\n*** End Patch"}});
    EXPECT_EQ(deft.finish(), 0);
  }
  ASSERT_EQ(folder.bytes("a.txt"), "one\r\n2");
  ASSERT_EQ(folder.bytes("bin/to.sh"), "#!/bin/sh\n");
  ASSERT_EQ(folder.bytes("old.txt"), std::nullopt);
  const Finished done = undo({"--yes"});
  EXPECT_EQ(done.exit_code, 0) << done.output << done.errors;
  EXPECT_EQ(folder.bytes("a.txt"), "one\r\ntwo");
  EXPECT_EQ(folder.bytes("old.txt"), "old\n");
  EXPECT_EQ(folder.bytes("from.sh"), "#!/bin/sh\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "bin"));
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  EXPECT_EQ(std::filesystem::status(folder / "from.sh").permissions() & std::filesystem::perms::owner_exec,
            std::filesystem::perms::owner_exec);
}

TEST_F(Undo, LeavesAloneWhatWasChangedSince) {
  {
    DeftExec deft(folder, arguments);
    deft.write("1", folder / "a.txt", "by deft\n");
    EXPECT_EQ(deft.finish(), 0);
  }
  folder.put("a.txt", "by hand\n");
  const Finished refused = undo({"1", "--json"});
  EXPECT_EQ(refused.exit_code, 1);
  const Json json = parse_json(refused.output).value();
  EXPECT_EQ(text_of(find_array(json, "refused")->at(0), "what"), folder / "a.txt");
  EXPECT_EQ(folder.bytes("a.txt"), "by hand\n");
}

TEST_F(Undo, ForProgramsShowsWhatItWouldDoAndDoesItWhenToldTo) {
  {
    DeftExec deft(folder, arguments);
    deft.write("1", folder / "a.txt", "by deft\n");
    EXPECT_EQ(deft.finish(), 0);
  }
  const Finished shown = undo({"--json"});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_EQ(find_bool(find_array(parse_json(shown.output).value(), "files")->at(0), "undone"), false);
  EXPECT_TRUE(folder.bytes("a.txt"));
  const Finished done = undo({"--json", "--yes"});
  EXPECT_EQ(find_bool(find_array(parse_json(done.output).value(), "files")->at(0), "undone"), true);
  EXPECT_FALSE(folder.bytes("a.txt"));
}

TEST_F(Undo, WhatItShowsHasNoSecretsAndLooksAtASessionThatIsInUse) {
  const std::string key = "sk-ant-api03-" + std::string(80, 'A');
  DeftExec deft(folder, arguments);
  deft.write("1", folder / "a.txt", "key=" + key + "\n");
  deft.bash("2", "echo " + key + " > made-by-a-command");
  deft.send_line(R"({"type":"end"})");
  deft.result("1");
  deft.result("2");
  const Finished shown = undo({"--dry-run"});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_NE(shown.output.find("Bash: echo sk-ant-****"), std::string::npos) << shown.output;
  EXPECT_EQ(shown.output.find(key), std::string::npos) << shown.output;
  const Finished refused = undo({"--yes"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("in use"), std::string::npos) << refused.errors;
  EXPECT_EQ(deft.finish(), 0);
}

// A repository may bring a folder that looks like a session's, with files of its reader's in it.
TEST_F(Undo, AFolderThatOthersCouldHaveMadeIsNotBelieved) {
  {
    DeftExec deft(folder, arguments);
    deft.write("1", folder / "a.txt", "by deft\n");
    EXPECT_EQ(deft.finish(), 0);
  }
  std::filesystem::permissions(folder / "session", std::filesystem::perms(0755));
  const Finished refused = undo({"--yes"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("not private"), std::string::npos) << refused.errors;
  EXPECT_TRUE(folder.bytes("a.txt"));
}

TEST_F(Undo, ASessionOfItsOwnFolderReachesNothingOutsideOfThisDirectory) {
  const TempFolder elsewhere;
  {
    DeftExec deft(folder, arguments);
    deft.write("1", elsewhere / "a.txt", "by deft\n");
    EXPECT_EQ(deft.finish(), 0);
  }
  const Finished refused = undo({"--yes"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.output.find("outside of"), std::string::npos) << refused.output;
  EXPECT_TRUE(elsewhere.bytes("a.txt"));
}

// Each life of the undo ends at a step of what it does to files, also in the middle of a write; of the file with two
// names too, which is written in place.
TEST(UndoThatIsKilled, AnywhereIsFinishedByTheNext) {
  const std::string longer = "new" + std::string(40, '.') + "\n";
  for (int step = 1;; ++step) {
    PrintPlace place;
    place.project.put("a", "old\n");
    place.project.put("b", "old\n");
    std::filesystem::create_hard_link(place.project / "b", place.project / "b2");
    const auto edit = [&](const std::string& id, const std::string& name) {
      return StreamedCall{id, "Write", {{"file_path", place.project / name}, {"content", longer}}};
    };
    const ModelPeer model({anthropic_calls({{"1", "Read", {{"file_path", place.project / "a"}}},
                                            {"2", "Read", {{"file_path", place.project / "b"}}}}),
                           anthropic_calls({edit("3", "a"), edit("4", "b"), edit("5", "new/c")}),
                           anthropic_text("ok")});
    ASSERT_EQ(place.run(model, {"-p", "go", "--permission-mode", "bypassPermissions"}).exit_code, 0);
    ASSERT_EQ(place.project.bytes("b2"), longer);

    place.environment = {std::string("LD_PRELOAD=") + DEFT_FILE_SPY, "DEFT_SPY_KILL=" + std::to_string(step)};
    const bool was_killed = place.run(model, {"undo", "--yes"}).exit_code == 128 + SIGKILL;
    place.environment.clear();
    const Finished again = place.run(model, {"undo", "--yes"});
    EXPECT_TRUE(again.exit_code == 0 || again.exit_code == 2) << again.output << again.errors;
    EXPECT_EQ(place.project.names(), (std::vector<std::string>{"a", "b", "b2"})) << "step " << step;
    for (const char* name : {"a", "b", "b2"}) EXPECT_EQ(place.project.bytes(name), "old\n") << name << " step " << step;
    if (!was_killed || ::testing::Test::HasFailure()) {
      EXPECT_GT(step, 10);
      return;
    }
  }
}

}  // namespace
}  // namespace deft::testing
