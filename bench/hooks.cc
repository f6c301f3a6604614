// What hooks cost. Without hooks: asking whether there are any, as every call does twice. With one trivial hook: a call
// against the bare spawn of the same program.
#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "deft/agent/hook_sample.h"
#include "deft/agent/user_hooks.h"
#include "deft/os/warden_processes.h"
#include "measure.h"

namespace {

using namespace deft;

constexpr int kRounds = 200;
constexpr int kQuestions = 1'000'000;

void spawn_bare(std::vector<std::string> argv) {
  std::vector<char*> arguments;
  for (std::string& argument : argv) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  char* const environment[] = {nullptr};
  pid_t pid = 0;
  if (posix_spawn(&pid, argv[0].c_str(), nullptr, nullptr, arguments.data(), environment) != 0) std::abort();
  waitpid(pid, nullptr, 0);
}

HookConfig config_of(const std::string& json) {
  HookConfig config;
  add_hooks(parse_json(json).value(), SettingSource::user, "bench", config);
  return config;
}

double fastest_run(UserHooks& hooks) {
  const HookSample sample = sample_of(HookEvent::pre_tool_use, {.directory = std::filesystem::current_path().string()});
  return bench::fastest(kRounds, [&] {
    if (hooks.run(sample.moment, {}).reports.size() == 0) std::abort();
  });
}

}  // namespace

int main() {
  const SystemClock clock;
  WardenProcesses processes(clock);
  UserHooks hooks({.processes = processes, .clock = clock, .environment = {"PATH=/usr/bin:/bin"}}, {});

  std::size_t listening = 0;
  const double floor = bench::fastest(5,
                                      [&] {
                                        for (int i = 0; i < kQuestions; ++i) {
                                          volatile int nothing = i;
                                          static_cast<void>(nothing);
                                        }
                                      }) /
                       kQuestions;
  const double asked = bench::fastest(5,
                                      [&] {
                                        for (int i = 0; i < kQuestions; ++i)
                                          listening += hooks.listens(HookEvent::pre_tool_use) ? 1 : 0;
                                      }) /
                       kQuestions;
  if (listening != 0) std::abort();
  bench::print_ratio("a call without hooks: is there one?", asked, "a loop", floor);

  const double bare = bench::fastest(kRounds, [] { spawn_bare({"/bin/true"}); });
  const double bare_shell = bench::fastest(kRounds, [] { spawn_bare({"/bin/sh", "-c", "exit 0"}); });
  hooks.use(config_of(R"({"PreToolUse":[{"hooks":[{"type":"command","command":"/bin/true","args":[]}]}]})"));
  bench::print_ratio("one hook, without a shell", fastest_run(hooks), "posix_spawn", bare);
  hooks.use(config_of(R"({"PreToolUse":[{"hooks":[{"type":"command","command":"exit 0"}]}]})"));
  bench::print_ratio("one hook, sh -c", fastest_run(hooks), "posix_spawn of sh", bare_shell);
  std::string four;
  for (int i = 0; i < 4; ++i)
    four += (i ? "," : "") + std::string(R"({"type":"command","command":"exit 0 # )") + std::to_string(i) + R"("})";
  hooks.use(config_of(R"({"PreToolUse":[{"hooks":[)" + four + "]}]}"));
  bench::print_ratio("four hooks side by side", fastest_run(hooks), "posix_spawn of sh", bare_shell);
}
