// Start to end of `deft exec` on one Read. The floor is starting the smallest program there is.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "deft/testing/places.h"
#include "measure.h"

extern char** environ;

namespace {

constexpr const char* kInput = "/tmp/deft-bench-startup.jsonl";

// Returns the peak memory in kilobytes.
long run(const std::vector<const char*>& words) {
  std::vector<char*> argv;
  for (const char* word : words) argv.push_back(const_cast<char*>(word));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, kInput, O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  if (::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0) std::abort();
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  rusage usage{};
  if (::wait4(pid, &status, 0, &usage) != pid || status != 0) std::abort();
  return usage.ru_maxrss;
}

}  // namespace

int main() {
  std::ofstream(kInput) << R"({"type":"tool_use","id":"1","name":"Read","input":{"file_path":"/usr/include/stdio.h"}})"
                        << "\n";
  constexpr int kRuns = 100;
  const double floor = bench::fastest(kRuns, [] { run({"/bin/true"}); });
  const double read = bench::fastest(kRuns, [] { run({DEFT_PROGRAM, "exec"}); });
  std::ofstream(kInput) << R"({"type":"tool_use","id":"1","name":"Bash","input":{"command":"true"}})" << "\n";
  const double shell = bench::fastest(kRuns, [] { run({DEFT_PROGRAM, "exec"}); });
  const double bash = bench::fastest(kRuns, [] { run({"/bin/bash", "--noprofile", "--norc", "-c", "true"}); });
  std::printf("start to end of deft exec (target: under 10 ms and 20 MB)\n");
  bench::print_ratio("  one Read", read, "/bin/true", floor);
  bench::print_ratio("  one Bash true", shell, "bash -c true", bash);
  std::printf("%-52s %10.1f MB\n", "  peak memory", static_cast<double>(run({DEFT_PROGRAM, "exec"})) / 1024);
  ::unlink(kInput);
}
