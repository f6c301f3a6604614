#include "seeds.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "property_run.h"

namespace deft::testing {

namespace {

constexpr std::size_t kWorkers = 3;

std::size_t number_from_environment(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace

void for_every_seed(const std::function<std::string(std::uint64_t)>& check, std::size_t runs_default) {
  const std::size_t first = number_from_environment("DEFT_PROPERTY_SEED", 1);
  const std::size_t end = first + number_from_environment("DEFT_PROPERTY_RUNS", runs_default);
  std::cout << "seeds " << first << " to " << end - 1 << std::endl;
  std::atomic<std::size_t> next = first;
  std::mutex mutex;
  std::map<std::size_t, std::string> wrong;  // under the mutex
  {
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
  }
  if (wrong.empty()) return;
  const auto& [seed, problem] = *wrong.begin();
  ADD_FAILURE() << wrong.size() << " seeds are wrong; the first, DEFT_PROPERTY_SEED=" << seed << ":\n"
                << to_text(random_messages(seed)) << problem;
}

}  // namespace deft::testing
