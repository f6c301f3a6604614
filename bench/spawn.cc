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
constexpr int kRounds = 300;
constexpr int kLeftoverRounds = 30;
constexpr std::size_t kLargeBytes = std::size_t{1} << 30;

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

deft::CommandEnd run(deft::Processes& processes, const deft::Command& command) {
  const auto end = processes.run(command, {}, {});
  if (!end) std::abort();
  return *end;
}

void print(const char* name, const char* floor_name, const std::vector<double>& floors,
           const std::vector<double>& values) {
  for (const double part : {0.1, 0.5, 0.9}) {
    const double floor = quantile(floors, part);
    const double ours = quantile(values, part);
    std::printf("%-34s p%.0f  %s %6.0f us  here %6.0f us  (+%.0f us, x%.2f)\n", name, part * 100, floor_name, floor,
                ours, ours - floor, ours / floor);
  }
}

void compare(deft::Processes& processes, const char* name, const std::vector<std::string>& argv) {
  const deft::Command command{.argv = argv};
  std::vector<double> bare;
  std::vector<double> owned;
  for (int round = 0; round < kRounds; ++round) {
    bare.push_back(micros_of([&] { spawn_bare(argv); }));
    owned.push_back(micros_of([&] { run(processes, command); }));
  }
  print(name, "posix_spawn", bare, owned);
}

void compare_read_only(deft::Processes& processes, const std::vector<std::string>& argv) {
  const deft::Command plain{.argv = argv};
  deft::Command restricted = plain;
  restricted.restriction = deft::Restriction::read_only;
  std::vector<double> plains;
  std::vector<double> restricteds;
  for (int round = 0; round < kRounds; ++round) {
    plains.push_back(micros_of([&] { run(processes, plain); }));
    restricteds.push_back(micros_of([&] { run(processes, restricted); }));
  }
  print("bash -c true, read-only", "unrestricted", plains, restricteds);
}

// How long the caller waits when something that it started lives on and holds the pipe.
void compare_leftover(deft::Processes& processes) {
  const deft::Command plain{.argv = {"/bin/bash", "-c", "exit 0"}};
  const deft::Command left{.argv = {"/bin/bash", "-c", "setsid sleep 1000 & exit 0"}};
  std::vector<double> plains;
  std::vector<double> leftovers;
  for (int round = 0; round < kLeftoverRounds; ++round) {
    plains.push_back(micros_of([&] { run(processes, plain); }));
    leftovers.push_back(micros_of([&] { run(processes, left); }));
  }
  print("a daemon that keeps the pipe", "without it", plains, leftovers);
}

}  // namespace

int main() {
  const deft::SystemClock clock;
  deft::WardenProcesses processes(clock);
  std::printf("first command, with the warden's start: %.0f us\n",
              micros_of([&] { run(processes, {.argv = {"/bin/true"}}); }));
  const std::vector<std::string> bash = {"/bin/bash", "--noprofile", "--norc", "-c", "true"};
  compare(processes, "/bin/true", {"/bin/true"});
  compare(processes, "bash -c true", bash);
  compare_read_only(processes, bash);
  compare_leftover(processes);
  const std::vector<char> large(kLargeBytes, 'x');  // touched, so that it exists
  compare(processes, "bash -c true, from 1 GB", bash);
  return large.back() == 'x' ? 0 : 1;
}
