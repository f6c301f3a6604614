#include "deft/core/file_ledger.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

FileSeen read_of(std::vector<LineRange> lines, std::string hash = "h1") {
  return {.path = "/p/a", .content_hash = std::move(hash), .lines = lines, .read = lines};
}

TEST(FileLedger, JoinsWhatWasShownOfTheSameContent) {
  FileLedger ledger;
  ledger.record(read_of({{1, 3}}));
  ledger.record(read_of({{7, 9}}));
  ledger.record(read_of({{4, 5}}));
  EXPECT_EQ(ledger.find("/p/a")->lines, (std::vector<LineRange>{{1, 5}, {7, 9}}));
  EXPECT_TRUE(covers(*ledger.find("/p/a"), {2, 5}));
  EXPECT_FALSE(covers(*ledger.find("/p/a"), {5, 7}));
  ledger.record(read_of({{8, 8}}, "h2"));
  EXPECT_EQ(ledger.find("/p/a")->lines, (std::vector<LineRange>{{8, 8}}));
}

TEST(FileLedger, WhatWasReadCountsAsReadAfterItsMessage) {
  FileLedger ledger;
  ledger.record(read_of({{1, 3}}));
  EXPECT_FALSE(was_read(*ledger.find("/p/a"), {1, 3}));
  ledger.record(read_of({{4, 6}}));
  ledger.end_message();
  EXPECT_TRUE(was_read(*ledger.find("/p/a"), {1, 6}));
  EXPECT_FALSE(was_read(*ledger.find("/p/a"), {1, 7}));
}

TEST(FileLedger, WhatADiscardedMessageReadWasNeverRead) {
  FileLedger ledger;
  ledger.record(read_of({{1, 3}}));
  ledger.discard_message();
  ledger.end_message();
  EXPECT_FALSE(was_read(*ledger.find("/p/a"), {1, 3}));
}

TEST(FileLedger, OtherContentWasNotRead) {
  FileLedger ledger;
  ledger.record(read_of({{1, 3}}));
  ledger.record({.path = "/p/a", .content_hash = "h2", .whole = true});
  ledger.end_message();
  EXPECT_TRUE(covers(*ledger.find("/p/a"), {1, 3}));
  EXPECT_FALSE(was_read(*ledger.find("/p/a"), {1, 3}));
}

}  // namespace
}  // namespace deft
