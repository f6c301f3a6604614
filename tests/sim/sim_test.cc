// Plays thousands of seeded turns. DEFT_SIM_SEED=n plays that seed (and prints what happens in it, if it is broken or
// the only one), DEFT_SIM_TURNS=n plays so many from there on.

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "deft/testing/sim_world.h"

namespace deft::sim {
namespace {

constexpr std::uint64_t kTurnsUsual = 20'000;
constexpr std::uint64_t kTurnsForCorners = 5'000;

volatile std::sig_atomic_t now_playing_high = 0, now_playing_low = 0;

// A check of the product that fails ends the process: say which seed it was.
void name_the_seed(int) {
  const auto seed = static_cast<std::uint64_t>(static_cast<std::uint32_t>(now_playing_high)) << 32 |
                    static_cast<std::uint32_t>(now_playing_low);
  std::array<char, 64> text{"the seed was "};
  char* end = std::to_chars(text.data() + 13, text.data() + text.size() - 1, seed).ptr;
  *end++ = '\n';
  if (write(STDERR_FILENO, text.data(), static_cast<std::size_t>(end - text.data())) < 0) return;
}

Outcome play(SimWorld& world, std::uint64_t seed) {
  now_playing_high = static_cast<std::sig_atomic_t>(seed >> 32);
  now_playing_low = static_cast<std::sig_atomic_t>(seed);
  return world.play(seed);
}

std::string log_of(std::uint64_t seed) {
  SimWorld world;
  world.keep_log();
  play(world, seed);
  return world.log();
}

std::optional<std::uint64_t> number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  if (!text) return std::nullopt;
  return std::strtoull(text, nullptr, 10);
}

TEST(Simulation, NoSeedBreaksARule) {
  const auto only = number_in_environment("DEFT_SIM_SEED");
  const std::uint64_t first = only.value_or(1);
  const std::uint64_t turns = number_in_environment("DEFT_SIM_TURNS").value_or(only ? 1 : kTurnsUsual);
  auto* const before = std::signal(SIGABRT, name_the_seed);
  SimWorld world;
  for (std::uint64_t seed = first; seed < first + turns; ++seed) {
    const Outcome outcome = play(world, seed);
    ASSERT_EQ(outcome.broken, "") << "seed " << seed << ", DEFT_SIM_SEED=" << seed << " plays it again:\n"
                                  << log_of(seed);
  }
  std::signal(SIGABRT, before);
  if (turns == 1) std::fputs(log_of(first).c_str(), stdout);
}

TEST(Simulation, ASeedGivesTheSameTurnWhateverWasPlayedBefore) {
  SimWorld used;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    used.keep_log();
    used.play(seed);
    ASSERT_EQ(used.log(), log_of(seed));
  }
}

TEST(Simulation, ReachesEveryCorner) {
  SimWorld world;
  for (std::uint64_t seed = 1; seed <= kTurnsForCorners; ++seed) world.play(seed);
  const Tally& tally = world.tally();
  EXPECT_GT(tally.agents, 500U);
  EXPECT_GT(tally.agents_at_depth_max, 10U);
  EXPECT_GT(tally.questions, 500U);
  EXPECT_GT(tally.denials, 100U);
  EXPECT_GT(tally.waits, 500U);
  EXPECT_GT(tally.replaced_and_went_on, 500U);
  EXPECT_GT(tally.replaced_and_waited, 100U);
  EXPECT_GT(tally.replaced_after_stop, 3U);
  EXPECT_GT(tally.footprints_moved, 100U);
  EXPECT_GT(tally.footprints_taken_again, 100U);
  EXPECT_GT(tally.interrupts, 100U);
  EXPECT_GT(tally.aborts, 100U);
  EXPECT_GT(tally.discards, 50U);
  EXPECT_GT(tally.discards_refused, 50U);
  EXPECT_GT(tally.siblings_stopped, 10U);
  EXPECT_GT(tally.siblings_unstarted, 100U);
  EXPECT_GT(tally.stops, 500U);
  EXPECT_GT(tally.unstarted, 500U);
  EXPECT_GT(tally.settled, 1'000U);
  EXPECT_GT(tally.serial_comparisons, kTurnsForCorners / 2);
  EXPECT_GT(tally.reordered_comparisons, 100U);
  EXPECT_GT(tally.calls, 4 * tally.turns);
}

}  // namespace
}  // namespace deft::sim
