// How many seeded turns one core plays in a second, all rules watched. Counted in processor time: the simulator waits
// for nothing, so on an idle machine that is the time on the clock.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "deft/testing/sim_plan.h"
#include "deft/testing/sim_world.h"

namespace {

constexpr std::uint64_t kRounds = 5;
constexpr std::uint64_t kRoundTurns = 100'000;
constexpr double kTurnsPerSecondWanted = 100'000;

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main() {
  deft::sim::SimWorld world;
  double best = 0;
  double planning = 0;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const std::uint64_t first = round * kRoundTurns;
    const double begin = seconds();
    for (std::uint64_t seed = first; seed < first + kRoundTurns; ++seed) {
      const deft::sim::Outcome outcome = world.play(seed);
      if (outcome.broken.empty()) continue;
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), outcome.broken.c_str());
      return 1;
    }
    const double played = seconds();
    deft::sim::TurnPlan plan;
    for (std::uint64_t seed = first; seed < first + kRoundTurns; ++seed) deft::sim::plan_turn(seed, plan);
    const double rate = static_cast<double>(kRoundTurns) / (played - begin);
    if (rate > best) planning = (seconds() - played) / (played - begin);
    if (rate > best) best = rate;
  }
  const auto& tally = world.tally();
  const auto per_turn = [&](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(tally.turns);
  };
  std::printf("simulator: %.0f turns/s on one core (%.2f of the %.0f wanted), best of %llu rounds\n", best,
              best / kTurnsPerSecondWanted, kTurnsPerSecondWanted, static_cast<unsigned long long>(kRounds));
  std::printf("a turn: %.2f calls, %.2f agents, %.2f steps; drawing its plan is %.0f %% of the time\n",
              per_turn(tally.calls), per_turn(tally.agents), per_turn(tally.steps), 100 * planning);
  return 0;
}
