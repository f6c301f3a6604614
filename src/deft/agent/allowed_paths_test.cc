#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "deft/testing/engine_bench.h"
#include "deft/tools/read.h"
#include "deft/tools/write.h"

// Links that somebody turns elsewhere after permission was given and before the call is carried out.

namespace deft {
namespace {

namespace fs = std::filesystem;

class AllowedPaths : public ::testing::Test {
 protected:
  AllowedPaths() {
    bench.add_tool(make_read_tool());
    bench.add_tool(make_write_tool());
    bench.folder.put("open/note", "nothing special\n");
    bench.folder.put("closed/note", "a secret\n");
    fs::create_directory_symlink(bench.folder / "open", bench.folder / "way");
  }
  // As soon as a call was allowed.
  void meanwhile(std::function<void()> change) {
    bench.frontend.when_shown = [change = std::move(change)](const Event& event) {
      const auto* ended = std::get_if<StageEnded>(&event);
      if (ended && ended->stage == "permission") change();
    };
  }
  void turn_the_link() {
    meanwhile([this] {
      fs::remove(bench.folder / "way");
      fs::create_directory_symlink(bench.folder / "closed", bench.folder / "way");
    });
  }
  CallAnswered answer(std::string_view tool, JsonObject input) {
    bench.call("1", std::string(tool), std::move(input));
    bench.finish();
    return bench.answers().at(0);
  }

  EngineBench bench;
};

TEST_F(AllowedPaths, ALinkIsFollowed) {
  const CallAnswered read = answer("Read", {{"file_path", bench.folder / "way/note"}});
  EXPECT_NE(read.result.text.find("nothing special"), std::string::npos) << read.result.text;
}

TEST_F(AllowedPaths, WhatALinkLeadsToMeanwhileIsNotRead) {
  turn_the_link();
  const CallAnswered read = answer("Read", {{"file_path", bench.folder / "way/note"}});
  EXPECT_EQ(read.result.error, Errc::stale);
  EXPECT_EQ(read.result.text.find("secret"), std::string::npos) << read.result.text;
}

TEST_F(AllowedPaths, WhereALinkLeadsMeanwhileNothingIsWritten) {
  turn_the_link();
  const CallAnswered write = answer("Write", {{"file_path", bench.folder / "way/new"}, {"content", "x"}});
  EXPECT_EQ(write.result.error, Errc::stale);
  EXPECT_FALSE(fs::exists(bench.folder / "closed/new"));
  EXPECT_FALSE(fs::exists(bench.folder / "open/new"));
}

TEST_F(AllowedPaths, AFolderThatBecomesALinkMeanwhileIsNotFollowed) {
  meanwhile([this] {
    fs::rename(bench.folder / "open", bench.folder / "gone");
    fs::create_directory_symlink(bench.folder / "closed", bench.folder / "open");
  });
  const CallAnswered read = answer("Read", {{"file_path", bench.folder / "open/note"}});
  EXPECT_EQ(read.result.error, Errc::stale);
  EXPECT_EQ(read.result.text.find("secret"), std::string::npos) << read.result.text;
}

}  // namespace
}  // namespace deft
