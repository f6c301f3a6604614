#include "deft/lsp/documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "deft/lsp/server_table.h"
#include "deft/os/disk_files.h"
#include "deft/testing/fake_files.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/virtual_clock.h"

namespace deft::lsp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct LspDocuments : ::testing::Test {
  // What the server was told since it was asked last, in short.
  std::vector<std::string> told() {
    std::vector<std::string> names;
    for (const auto& [method, params] : messages) names.push_back(method.substr(method.find('/') + 1));
    messages.clear();
    return names;
  }
  Result<Documents::Document> show(const std::string& path) { return documents.show(path, files, abilities); }

  FakeFiles files;
  VirtualClock clock;
  ServerAbilities abilities;
  std::vector<std::pair<std::string, Json>> messages;
  std::uint64_t moments = 0;
  Documents documents{
      known_servers().at(0), clock,
      [this](std::string_view method, Json params) { messages.emplace_back(method, std::move(params)); },
      [this] { return ++moments; }};
};

TEST_F(LspDocuments, AFileIsOpenedOnceWithItsLanguageAndText) {
  files.put("/p/a.c", "int x;\r\n");
  EXPECT_EQ(show("/p/a.c").value().version, 1);
  ASSERT_THAT(messages, SizeIs(1));
  EXPECT_EQ(to_json(messages[0].second),
            R"({"textDocument":{"uri":"file:///p/a.c","languageId":"c","version":1,"text":"int x;\r\n"}})");
  EXPECT_THAT(told(), ElementsAre("didOpen"));
  EXPECT_EQ(show("/p/a.c").value().version, 1);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(LspDocuments, WhoeverChangesAFileTheServerIsToldBeforeItIsAskedAgain) {
  files.put("/p/a.c", "one");
  files.put("/p/b.c", "b");
  ASSERT_TRUE(show("/p/a.c"));
  ASSERT_TRUE(show("/p/b.c"));
  told();
  files.put("/p/a.c", "two");
  documents.refresh(files, abilities);
  ASSERT_THAT(messages, SizeIs(2));
  EXPECT_EQ(to_json(messages[0].second),
            R"({"textDocument":{"uri":"file:///p/a.c","version":2},"contentChanges":[{"text":"two"}]})");
  EXPECT_THAT(told(), ElementsAre("didChange", "didChangeWatchedFiles"));
  EXPECT_EQ(show("/p/a.c").value().version, 2);
  EXPECT_EQ(show("/p/a.c").value().told_at, 3U) << "the third time that anything was told";
}

TEST_F(LspDocuments, AnotherTimeWithTheSameContentIsNoChange) {
  files.put("/p/a.c", "one");
  ASSERT_TRUE(show("/p/a.c"));
  told();
  files.touch("/p/a.c");
  EXPECT_EQ(show("/p/a.c").value().version, 1);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(LspDocuments, AChangeThatTheTimeDoesNotShowIsSeenByTheContent) {
  const TempFolder folder;
  DiskFiles disk;
  const std::string path = folder.put("a.c", "one");
  const auto time = std::filesystem::last_write_time(path);
  ASSERT_TRUE(documents.show(path, disk, abilities));
  folder.put("a.c", "two");
  std::filesystem::last_write_time(path, time);
  EXPECT_EQ(documents.show(path, disk, abilities).value().version, 2);
}

TEST_F(LspDocuments, AServerThatWantsToKnowOfSavesIsTold) {
  abilities.wants_saves = true;
  abilities.wants_saved_text = true;
  files.put("/p/a.c", "one");
  ASSERT_TRUE(show("/p/a.c"));
  files.put("/p/a.c", "two");
  told();
  ASSERT_TRUE(show("/p/a.c"));
  EXPECT_EQ(to_json(messages.at(1).second), R"({"textDocument":{"uri":"file:///p/a.c"},"text":"two"})");
  EXPECT_THAT(told(), ElementsAre("didChange", "didSave", "didChangeWatchedFiles"));
}

TEST_F(LspDocuments, AFileThatIsGoneIsClosed) {
  files.put("/p/a.c", "one");
  ASSERT_TRUE(show("/p/a.c"));
  files.take_away("/p/a.c");
  told();
  documents.refresh(files, abilities);
  EXPECT_EQ(to_json(messages.at(1).second), R"({"changes":[{"uri":"file:///p/a.c","type":3}]})");
  EXPECT_THAT(told(), ElementsAre("didClose", "didChangeWatchedFiles"));
  EXPECT_EQ(show("/p/a.c").error().code, Errc::not_found);
  EXPECT_FALSE(documents.is_open("/p/a.c"));
}

TEST_F(LspDocuments, TextInOtherEncodingsIsShownAsUtf8AndWhatIsNoTextIsNotShown) {
  files.put("/p/a.c", std::string_view("\xff\xfe\x41\x00\xe4\x00", 6));
  ASSERT_TRUE(show("/p/a.c"));
  EXPECT_EQ(messages.at(0).second.at("textDocument").at("text"), "Aä");
  files.put("/p/b.c", std::string_view("\x7f"
                                       "ELF\0\0\0\1\2\3\0\0",
                                       12));
  EXPECT_EQ(show("/p/b.c").error().code, Errc::unsupported);
  files.put("/p/README", "x");
  EXPECT_EQ(show("/p/README").error().code, Errc::unsupported);
}

TEST_F(LspDocuments, OfTooManyTheOneThatWasNotAskedForLongestIsClosed) {
  for (std::size_t i = 0; i <= kOpenDocumentsMax; ++i) {
    files.put("/p/" + std::to_string(i) + ".c", "x");
    ASSERT_TRUE(show("/p/" + std::to_string(i) + ".c"));
    ASSERT_TRUE(show("/p/0.c"));
  }
  EXPECT_TRUE(documents.is_open("/p/0.c"));
  EXPECT_FALSE(documents.is_open("/p/1.c"));
}

}  // namespace
}  // namespace deft::lsp
