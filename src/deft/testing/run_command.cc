#include "deft/testing/run_command.h"

#include <stdexcept>

#include "deft/os/warden_processes.h"

namespace deft::testing {

CommandOutput run_command(const std::vector<std::string>& argv, const std::string& directory,
                          const std::string& package, const std::string& input) {
  const SystemClock clock;
  WardenProcesses processes(clock);
  const Command command{.argv = argv,
                        .environment = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8",
                                        "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org",
                                        "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org"},
                        .directory = directory,
                        .input = input,
                        .separate_errors = true};
  CommandOutput result;
  const auto end = processes.run(command,
                                 [&](OutputStream stream, std::string_view bytes) {
                                   (stream == OutputStream::output ? result.output : result.errors) += bytes;
                                 },
                                 {});
  if (!end) {
    throw std::runtime_error(argv.front() + " cannot be run (" + end.error().message + "): install the package " +
                             package);
  }
  result.exit_code = end->exit_code;
  return result;
}

}  // namespace deft::testing
