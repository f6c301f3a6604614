#include <gtest/gtest.h>

#include "deft/testing/places.h"
#include "deft_exec.h"

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

}  // namespace
}  // namespace deft::testing
