#include "deft/core/session_state.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

FileSeen seen(std::string hash, std::vector<LineRange> lines) {
  return {.path = "/a", .content_hash = std::move(hash), .whole = lines.empty(), .lines = std::move(lines)};
}

TEST(FileLedger, RangesOfTheSameContentAddUpAndNewContentReplacesThem) {
  FileLedger ledger;
  ledger.record(seen("h1", {{1, 10}}));
  ledger.record(seen("h1", {{20, 30}}));
  ledger.record(seen("h1", {{11, 19}}));
  EXPECT_TRUE(covers(*ledger.find("/a"), {5, 25}));
  EXPECT_FALSE(covers(*ledger.find("/a"), {5, 31}));
  ledger.record(seen("h2", {{1, 2}}));
  EXPECT_FALSE(covers(*ledger.find("/a"), {5, 25}));
  ledger.record(seen("h2", {}));
  EXPECT_TRUE(covers(*ledger.find("/a"), {1, 1'000'000}));
  EXPECT_EQ(ledger.find("/b"), nullptr);
}

TEST(SessionView, ShowsTheStateAndWhatEarlierCallsChangedSince) {
  SessionState state{.working_directory = "/p", .directories = {"/p"}};
  state.apply(FileWasSeen{seen("h1", {{1, 10}})});
  const SessionView view(state, {FileWasSeen{seen("h1", {{11, 20}})}, WorkingDirectoryChanged{"/p/sub"}});
  EXPECT_EQ(view.working_directory(), "/p/sub");
  EXPECT_TRUE(covers(*view.file_seen("/a"), {1, 20}));
  EXPECT_EQ(state.working_directory, "/p");
  EXPECT_FALSE(SessionView(state, {}).file_seen("/b"));
}

}  // namespace
}  // namespace deft
