// A gigabyte of output: time and memory of run() with a sink that only counts, and with one that writes a file, against
// `bash -c … | cat > file`.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "deft/os/unique_fd.h"
#include "deft/os/warden_processes.h"
#include "measure.h"

namespace {

constexpr int kRuns = 3;
constexpr char kSpeak[] = "head -c 1000000000 /dev/zero";

deft::Command bash(const std::string& script) {
  return {.argv = {"/bin/bash", "--noprofile", "--norc", "-c", script}, .environment = {"PATH=/usr/bin:/bin"}};
}

void run(deft::Processes& processes, const deft::Command& command, const deft::OutputSink& sink) {
  if (!processes.run(command, sink, {})) std::abort();
}

long peak_kilobytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

int main() {
  const deft::SystemClock clock;
  deft::WardenProcesses processes(clock);
  const std::string path = "/tmp/bench-output-" + std::to_string(::getpid());
  const double floor =
      bench::fastest(kRuns, [&] { run(processes, bash(std::string(kSpeak) + " | cat > " + path), {}); });
  const long before = peak_kilobytes();

  std::size_t total = 0;
  const double counted = bench::fastest(kRuns, [&] {
    run(processes, bash(kSpeak), [&](deft::OutputStream, std::string_view bytes) { total += bytes.size(); });
  });
  const double written = bench::fastest(kRuns, [&] {
    const deft::UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    run(processes, bash(kSpeak), [&](deft::OutputStream, std::string_view bytes) {
      if (::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
    });
  });
  ::unlink(path.c_str());
  bench::print_ratio("1 GB of output, counted", counted, "| cat > file", floor);
  bench::print_ratio("1 GB of output, written to a file", written, "| cat > file", floor);
  std::printf("peak memory grew by %ld kB\n", peak_kilobytes() - before);
  return total == kRuns * std::size_t{1'000'000'000} ? 0 : 1;
}
