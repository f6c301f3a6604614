#include "deft/core/scheduler.h"

#include <gtest/gtest.h>

#include <random>

#include "deft/core/partition.h"

namespace deft {
namespace {

using Ids = std::vector<CallIndex>;

// A scheduler whose footprints are resolved as they are, and that starts what it can.
class Bench {
 public:
  explicit Bench(std::size_t slots_max = 8) : slots(slots_max), scheduler(slots) {}
  CallIndex add(Footprint footprint) { return scheduler.add(std::move(footprint)); }
  Ids start() {
    for (const CallIndex call : scheduler.take_unresolved()) scheduler.resolve(call, scheduler.footprint(call));
    return scheduler.start_ready();
  }
  Slots slots;
  Scheduler scheduler;
};

TEST(Scheduler, AReadNeverOvertakesABlockedEarlierWriteOfTheSameFile) {
  Bench bench;
  const auto make = bench.add(Footprint::everything());
  const auto edit = bench.add(Footprint::writes("/p/a"));
  const auto read = bench.add(Footprint::reads("/p/a"));

  EXPECT_EQ(bench.start(), Ids{make});
  EXPECT_EQ(bench.start(), Ids{});
  bench.scheduler.finish(make);
  EXPECT_EQ(bench.start(), Ids{edit});
  EXPECT_EQ(bench.start(), Ids{});
  bench.scheduler.finish(edit);
  EXPECT_EQ(bench.start(), Ids{read});
}

TEST(Scheduler, EditsOfDifferentFilesOverlapAndEditsOfOneFileDoNot) {
  Bench bench;
  const auto a = bench.add(Footprint::writes("/p/a"));
  const auto b = bench.add(Footprint::writes("/p/b"));
  const auto a_again = bench.add(Footprint::writes("/p/a"));
  EXPECT_EQ(bench.start(), (Ids{a, b}));
  bench.scheduler.finish(a);
  EXPECT_EQ(bench.start(), Ids{a_again});
}

TEST(Scheduler, ATreeReadWaitsForWritesBelowItAndForNoOthers) {
  Bench bench;
  const auto inside = bench.add(Footprint::writes("/p/src/a"));
  const auto outside = bench.add(Footprint::writes("/p/src2"));
  const auto glob = bench.add(Footprint::reads_tree("/p/src"));
  EXPECT_EQ(bench.start(), (Ids{inside, outside}));
  bench.scheduler.finish(inside);
  EXPECT_EQ(bench.start(), Ids{glob});
}

TEST(Scheduler, NoMoreCallsWorkThanThereAreSlotsAndAWaitingCallHoldsNone) {
  Bench bench(2);
  for (int i = 0; i < 4; ++i) bench.add(Footprint::reads("/p/a"));
  EXPECT_EQ(bench.start(), (Ids{0, 1}));
  bench.scheduler.park(0);
  EXPECT_EQ(bench.start(), Ids{2});
  bench.scheduler.unpark(0);
  EXPECT_EQ(bench.start(), Ids{});
  bench.scheduler.finish(1);
  EXPECT_EQ(bench.start(), Ids{0});  // goes on before a new one begins
}

TEST(Scheduler, FootprintsAreTakenWhenTheLastCallThatCouldChangeTheirMeaningHasEnded) {
  Bench bench;
  bench.add(Footprint::reads("/p/x"));
  const auto move_link = bench.add(Footprint::everything());
  const auto read = bench.add(Footprint::reads("/p/link"));
  EXPECT_EQ(bench.scheduler.take_unresolved(), Ids{0});
  bench.scheduler.resolve(0, Footprint::reads("/p/x"));
  EXPECT_EQ(bench.scheduler.start_ready(), Ids{0});
  bench.scheduler.finish(0);
  EXPECT_EQ(bench.scheduler.start_ready(), Ids{move_link});
  EXPECT_EQ(bench.scheduler.take_unresolved(), Ids{});
  bench.scheduler.finish(move_link);
  EXPECT_EQ(bench.scheduler.take_unresolved(), Ids{read});
}

TEST(Scheduler, ACancelledCallInBetweenDoesNotUncoverAnEarlierOneThatStillRuns) {
  Bench bench;
  const auto first = bench.add(Footprint::writes("/p/a"));
  const auto second = bench.add(Footprint::writes("/p/a"));
  const auto third = bench.add(Footprint::writes("/p/a"));
  EXPECT_EQ(bench.start(), Ids{first});
  bench.scheduler.finish(second);  // cancelled while queued
  EXPECT_EQ(bench.start(), Ids{});
  bench.scheduler.finish(first);
  EXPECT_EQ(bench.start(), Ids{third});
}

TEST(Scheduler, AReplacedInputWaitsForWhatItNowConflictsWithAndHoldsBackLaterOnes) {
  Bench bench;
  const auto replaced = bench.add(Footprint::writes("/p/a"));
  const auto running = bench.add(Footprint::writes("/p/b"));
  EXPECT_EQ(bench.start(), (Ids{replaced, running}));
  EXPECT_FALSE(bench.scheduler.readmit(replaced, Footprint::writes("/p/b")));
  const auto later = bench.add(Footprint::reads("/p/b"));
  EXPECT_EQ(bench.start(), Ids{});
  bench.scheduler.finish(running);
  EXPECT_EQ(bench.start(), Ids{replaced});
  bench.scheduler.finish(replaced);
  EXPECT_EQ(bench.start(), Ids{later});
}

TEST(Scheduler, AReplacedInputThatMayDoAnythingMakesLaterFootprintsBeTakenAnew) {
  Bench bench(1);
  const auto replaced = bench.add(Footprint::writes("/p/a"));
  const auto read = bench.add(Footprint::reads("/p/link"));
  EXPECT_EQ(bench.start(), Ids{replaced});
  EXPECT_TRUE(bench.scheduler.readmit(replaced, Footprint::everything()));
  EXPECT_EQ(bench.start(), Ids{});
  bench.scheduler.finish(replaced);
  EXPECT_EQ(bench.scheduler.take_unresolved(), Ids{read});
  bench.scheduler.resolve(read, Footprint::reads("/q"));
  EXPECT_EQ(bench.scheduler.start_ready(), Ids{read});
}

TEST(Scheduler, AFootprintThatTurnsOutToBeEverythingMakesLaterOnesBeTakenAgain) {
  Bench bench;
  const auto unclear = bench.add(Footprint::reads("/p/a"));
  const auto read = bench.add(Footprint::reads("/p/link"));
  EXPECT_EQ(bench.scheduler.take_unresolved(), (Ids{unclear, read}));
  bench.scheduler.resolve(unclear, Footprint::everything());
  bench.scheduler.resolve(read, Footprint::reads("/p/x"));  // where the link points before the first call has run
  EXPECT_EQ(bench.scheduler.start_ready(), Ids{unclear});
  EXPECT_EQ(bench.scheduler.take_unresolved(), Ids{});
  bench.scheduler.finish(unclear);
  EXPECT_EQ(bench.scheduler.take_unresolved(), Ids{read});
}

TEST(Scheduler, ACallWhoseFootprintIsTakenAgainWaitsForLaterCallsThatRun) {
  Bench bench;
  const auto replaced = bench.add(Footprint::writes("/p/a"));
  const auto copy = bench.add(Footprint::reads("/p/a").and_reads("/p/link"));
  const auto edit = bench.add(Footprint::writes("/p/x"));
  EXPECT_EQ(bench.start(), (Ids{replaced, edit}));
  EXPECT_TRUE(bench.scheduler.readmit(replaced, Footprint::uses_session(Footprint::Use::write)));
  bench.scheduler.finish(replaced);
  EXPECT_EQ(bench.scheduler.take_unresolved(), Ids{copy});
  bench.scheduler.resolve(copy, Footprint::reads("/p/x"));
  EXPECT_EQ(bench.scheduler.start_ready(), Ids{});
  bench.scheduler.finish(edit);
  EXPECT_EQ(bench.scheduler.start_ready(), Ids{copy});
}

TEST(Scheduler, ACallThatWaitedForAFootprintThatIsGoneStarts) {
  Bench bench;
  const auto replaced = bench.add(Footprint::writes("/p/a"));
  const auto read = bench.add(Footprint::reads("/p/a"));
  const auto make = bench.add(Footprint::everything());
  EXPECT_EQ(bench.start(), Ids{replaced});
  EXPECT_TRUE(bench.scheduler.readmit(replaced, Footprint::uses_session(Footprint::Use::write)));
  bench.scheduler.finish(replaced);
  EXPECT_EQ(bench.scheduler.take_unresolved(), Ids{read});
  bench.scheduler.resolve(read, Footprint::nothing());
  EXPECT_EQ(bench.scheduler.start_ready(), (Ids{read, make}));
}

TEST(Scheduler, AReplacedInputIsUnderstoodWhenAnEarlierCallThatMayChangeItsMeaningHasEnded) {
  Bench bench;
  const auto change_folder = bench.add(Footprint::writes("/p/a"));
  const auto replaced = bench.add(Footprint::reads("/p/b"));
  EXPECT_EQ(bench.start(), (Ids{change_folder, replaced}));
  EXPECT_TRUE(bench.scheduler.readmit(change_folder, Footprint::uses_session(Footprint::Use::write)));
  EXPECT_FALSE(bench.scheduler.readmit(replaced, Footprint::reads("/p/c")));
  EXPECT_EQ(bench.scheduler.take_unresolved(), Ids{});
  EXPECT_EQ(bench.slots.free(), 7U);
  bench.scheduler.finish(change_folder);
  EXPECT_EQ(bench.scheduler.take_unresolved(), Ids{replaced});
  bench.scheduler.resolve(replaced, Footprint::reads("/q/c"));
  EXPECT_EQ(bench.scheduler.start_ready(), Ids{replaced});
}

TEST(Scheduler, AReplacedInputNeverOvertakesAnEarlierCallWhoseFootprintIsNotKnownYet) {
  Bench bench;
  const auto change_folder = bench.add(Footprint::uses_session(Footprint::Use::write));
  const auto edit = bench.add(Footprint::writes("/p/a"));
  const auto replaced = bench.add(Footprint::nothing());
  EXPECT_EQ(bench.start(), (Ids{change_folder, replaced}));
  bench.scheduler.finish(change_folder);
  EXPECT_FALSE(bench.scheduler.readmit(replaced, Footprint::reads("/p/a")));
  EXPECT_EQ(bench.start(), Ids{edit});
  bench.scheduler.finish(edit);
  EXPECT_EQ(bench.start(), Ids{replaced});
}

TEST(Scheduler, ACallSeesTheModifiersOfEarlierCallsItConflictsWithAndOnlyThose) {
  Bench bench;
  bench.add(Footprint::reads("/p/a"));
  bench.add(Footprint::reads("/p/b"));
  const auto edit = bench.add(Footprint::writes("/p/a"));
  bench.start();
  bench.scheduler.finish(0, true);
  bench.scheduler.finish(1, true);
  EXPECT_EQ(bench.start(), Ids{edit});
  EXPECT_EQ(bench.scheduler.visible_to(edit), Ids{0});
  bench.scheduler.finish(edit, true);
  EXPECT_EQ(bench.scheduler.settle(), (Ids{0, 1, 2}));
  EXPECT_EQ(bench.scheduler.settle(), Ids{});
}

TEST(Scheduler, ExclusiveFootprintsGiveTheBatchesOfPartition) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<bool> safe(1 + random() % 12);
    Bench bench(64);
    for (std::size_t i = 0; i < safe.size(); ++i) {
      safe[i] = random() % 3 != 0;
      bench.add(safe[i] ? Footprint::reads_everything() : Footprint::everything());
    }
    for (const Batch& batch : partition(safe)) {
      Ids expected;
      for (std::size_t i = 0; i < batch.count; ++i) expected.push_back(static_cast<CallIndex>(batch.first + i));
      ASSERT_EQ(bench.start(), expected);
      for (const CallIndex call : expected) bench.scheduler.finish(call);
    }
  }
}

Footprint random_footprint(std::mt19937& random) {
  static const std::vector<std::string> kPaths = {"/", "/p", "/p/a", "/p/a/x", "/p/ab", "/q/a"};
  if (random() % 12 == 0) return Footprint::everything();
  Footprint footprint;
  for (auto count = random() % 3; count > 0; --count) {
    const std::string& path = kPaths[random() % kPaths.size()];
    switch (random() % 3) {
      case 0: footprint = std::move(footprint).and_reads(path); break;
      case 1: footprint = std::move(footprint).and_reads_tree(path); break;
      default: footprint = std::move(footprint).and_writes(path);
    }
  }
  footprint = std::move(footprint).and_network(static_cast<Footprint::Use>(random() % 8 > 5 ? random() % 3 : 0));
  return std::move(footprint).and_session(static_cast<Footprint::Use>(random() % 8 > 5 ? random() % 3 : 0));
}

TEST(AccessIndex, FindsExactlyWhatComparingEveryPairFinds) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    AccessIndex index;
    std::vector<std::optional<Footprint>> alive;
    for (CallIndex call = 0; call < 24; ++call) {
      Footprint footprint = random_footprint(random);
      std::optional<CallIndex> expected;
      for (CallIndex earlier = 0; earlier < call; ++earlier) {
        if (alive[earlier] && conflicts(*alive[earlier], footprint)) expected = earlier;
      }
      ASSERT_EQ(index.latest_conflict(footprint, call), expected);
      index.add(call, footprint);
      alive.emplace_back(std::move(footprint));
      const auto gone = random() % alive.size();
      if (random() % 2 == 0 && alive[gone]) {
        index.remove(static_cast<CallIndex>(gone), *alive[gone]);
        alive[gone].reset();
      }
    }
  }
}

}  // namespace
}  // namespace deft
