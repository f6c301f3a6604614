#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

#include "property_run.h"

// Whatever overlaps, files and results equal those of the calls run one after another.
//
// DEFT_PROPERTY_RUNS says how many seeds are tried, DEFT_PROPERTY_SEED with which one to begin.

namespace deft::testing {
namespace {

constexpr std::size_t kRunsDefault = 120;
constexpr std::size_t kWorkers = 3;  // several at once, so that each is disturbed by others

std::size_t number_from_environment(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Calls `check` with every seed; what it returns, if anything, is wrong with that seed.
void for_every_seed(const std::function<std::string(std::uint64_t)>& check) {
  const std::size_t first = number_from_environment("DEFT_PROPERTY_SEED", 1);
  const std::size_t end = first + number_from_environment("DEFT_PROPERTY_RUNS", kRunsDefault);
  std::cout << "seeds " << first << " to " << end - 1 << std::endl;
  std::atomic<std::size_t> next = first;
  std::mutex mutex;
  std::map<std::size_t, std::string> wrong;
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < kWorkers; ++i) {
    workers.emplace_back([&] {
      for (std::size_t seed = next++; seed < end; seed = next++) {
        std::string problem = check(seed);
        if (problem.empty()) continue;
        const std::lock_guard lock(mutex);
        wrong.emplace(seed, std::move(problem));
      }
    });
  }
  workers.clear();
  if (wrong.empty()) return;
  const auto& [seed, problem] = *wrong.begin();
  ADD_FAILURE() << wrong.size() << " seeds are wrong; the first, DEFT_PROPERTY_SEED=" << seed << ":\n"
                << to_text(random_messages(seed)) << problem;
}

TEST(SerialEquivalence, FilesAndResultsAreThoseOfOneCallAfterAnother) {
  for_every_seed([](std::uint64_t seed) {
    const auto messages = random_messages(seed);
    const Outcome serial = run_messages(messages, {.slots = 1, .one_call_a_message = true});
    return difference(serial, run_messages(messages, {.shake = seed}));
  });
}

TEST(SerialEquivalence, HoldsForEveryWayOfScheduling) {
  for_every_seed([](std::uint64_t seed) {
    const auto messages = random_messages(seed);
    const Outcome serial = run_messages(messages, {.slots = 1, .scheduling = Scheduling::exclusive});
    RunOptions options{.shake = seed};
    if (seed % 3 == 0) options.scheduling = Scheduling::exclusive;
    if (seed % 3 == 1) options.streaming = false;
    if (seed % 3 == 2) options.slots = 2;
    return difference(serial, run_messages(messages, options));
  });
}

bool was_cancelled(const Outcome::Answer& answer) { return answer.text.starts_with("error cancelled"); }

// With sibling cancellation a later command that only reads may have run before an earlier one failed, or not. Which
// it was is seen; all the rest must be as if those that were cancelled had never been asked for.
TEST(SerialEquivalence, HoldsForWhatFailuresDidNotCancel) {
  for_every_seed([](std::uint64_t seed) -> std::string {
    const auto messages = random_messages(seed);
    Outcome found = run_messages(messages, {.sibling_cancellation = true, .shake = seed});
    RunOptions without_cancelled{.slots = 1, .one_call_a_message = true};
    std::erase_if(found.answers, [&](const Outcome::Answer& answer) {
      if (!was_cancelled(answer)) return false;
      without_cancelled.left_out.insert(answer.id);
      return true;
    });
    return difference(run_messages(messages, without_cancelled), found);
  });
}

TEST(SerialEquivalence, AFailedCommandCancelsExactlyTheLaterCommandsOfItsMessage) {
  for_every_seed([](std::uint64_t seed) -> std::string {
    const auto messages = random_messages(seed);
    const Outcome found = run_messages(messages, {.sibling_cancellation = true, .shake = seed});
    std::size_t at = 0;
    for (const PropertyMessage& message : messages) {
      bool failed = false;
      for (const PropertyCall& call : message) {
        const Outcome::Answer& answer = found.answers.at(at++);
        if (answer.id != call.id) return "out of order: " + answer.id;
        const bool is_command = call.tool == "Bash";
        if (was_cancelled(answer) && !(failed && is_command)) return "cancelled without a cause: " + answer.id;
        const bool only_reads = answer.text.find("ok: ") == 0;
        if (failed && is_command && !was_cancelled(answer) && !only_reads && !answer.text.starts_with("error failed")) {
          return "not cancelled: " + answer.id + " " + answer.text;
        }
        failed = failed || (is_command && answer.text.starts_with("error"));
      }
    }
    return at == found.answers.size() ? "" : "answered more often than asked";
  });
}

}  // namespace
}  // namespace deft::testing
