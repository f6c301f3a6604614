// What the warden adds to a command: time of run() against a bare posix_spawn + waitpid, in turns in the same run.

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "deft/os/warden_processes.h"

namespace {

using Micros = std::chrono::duration<double, std::micro>;
constexpr int kRounds = 500;

double micros_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return Micros(std::chrono::steady_clock::now() - start).count();
}

void spawn_bare(const std::vector<std::string>& argv) {
  std::vector<char*> arguments;
  for (const auto& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  char* const environment[] = {nullptr};
  pid_t pid = 0;
  if (posix_spawn(&pid, argv[0].c_str(), nullptr, nullptr, arguments.data(), environment) != 0) std::abort();
  waitpid(pid, nullptr, 0);
}

double quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

void compare(deft::Processes& processes, const char* name, const std::vector<std::string>& argv) {
  const deft::Command command{.argv = argv};
  std::vector<double> bare;
  std::vector<double> owned;
  for (int round = 0; round < kRounds; ++round) {
    bare.push_back(micros_of([&] { spawn_bare(argv); }));
    owned.push_back(micros_of([&] {
      if (const auto end = processes.run(command, {}, {}); !end) std::abort();
    }));
  }
  for (const double part : {0.1, 0.5, 0.9}) {
    const double floor = quantile(bare, part);
    const double ours = quantile(owned, part);
    std::printf("%-14s p%.0f  posix_spawn %6.0f us  warden %6.0f us  (+%.0f us, x%.2f)\n", name, part * 100, floor,
                ours, ours - floor, ours / floor);
  }
}

}  // namespace

int main() {
  const deft::SystemClock clock;
  deft::WardenProcesses processes(clock);
  const deft::Command first{.argv = {"/bin/true"}};
  std::printf("first command, with the warden's start: %.0f us\n",
              micros_of([&] { static_cast<void>(processes.run(first, {}, {})); }));
  compare(processes, "/bin/true", {"/bin/true"});
  compare(processes, "bash -c true", {"/bin/bash", "--noprofile", "--norc", "-c", "true"});
  const deft::Command left{.argv = {"/bin/bash", "-c", "setsid sleep 1000 & exit 0"}};
  std::vector<double> leftovers;
  for (int round = 0; round < 20; ++round) {
    leftovers.push_back(micros_of([&] { static_cast<void>(processes.run(left, {}, {})); }));
  }
  std::printf("a command that leaves a process behind: %.1f ms\n", quantile(leftovers, 0.5) / 1000);
}
