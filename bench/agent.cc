// `deft -p` against the smallest native client that does the same (agent_floor.h), both against the same server, in the
// same run. The figures that matter: how soon the first request is there, and how soon after a message's last byte the
// next one.
#include <poll.h>
#include <sys/inotify.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "agent_floor.h"
#include "agent_server.h"
#include "deft/testing/places.h"

namespace {

using bench::Answer;
using bench::between;
using bench::Seen;
using bench::Time;

constexpr int kRuns = 7;
constexpr int kTurns = 5;  // of one session: the first finds everything cold
constexpr int kFiles = 50 * kTurns;

struct Usage {
  double cpu_seconds = 0;
  double peak_megabytes = 0;
};
struct Run {
  Time started;
  std::vector<Seen> seen;
  Usage usage;
};
using Answers = std::vector<Answer>;

std::string done() { return bench::message_begin() + bench::text_block(1) + bench::message_end("end_turn"); }

Usage run_program(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                  const std::string& folder, Time& started) {
  std::vector<char*> argv, envp;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& variable : environment) envp.push_back(const_cast<char*>(variable.c_str()));
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t pid = 0;
  started = bench::now();
  if (::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), envp.data()) != 0) std::abort();
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  rusage usage{};
  if (::wait4(pid, &status, 0, &usage) != pid) std::abort();
  if (status != 0) {
    std::fprintf(stderr, "%s ended with status %d\n", words[0].c_str(), status);
    std::exit(1);
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024};
}

class Bench {
 public:
  Bench() {
    std::string pattern = std::filesystem::temp_directory_path() / "deft-bench-agent-XXXXXX";
    if (!::mkdtemp(pattern.data())) std::abort();
    root_ = std::filesystem::canonical(pattern);
    for (const char* name : {"project", "home", "bodies"}) std::filesystem::create_directory(root_ + "/" + name);
    for (int i = 0; i < kFiles; ++i) std::ofstream(file(i)) << i << std::string(2000, 'x') << "\nline two\n";
  }
  ~Bench() { std::filesystem::remove_all(root_); }

  std::string file(int number) const { return root_ + "/project/file" + std::to_string(number); }

  Run deft(const Answers& answers) {
    bench::ModelServer server;
    Run run;
    run.seen = server.serve(answers, [&] {
      run.usage =
          run_program({DEFT_PROGRAM, "-p", "go", "--permission-mode", "bypassPermissions", "--max-turns", "100000"},
                      {"PATH=/usr/bin:/bin", "HOME=" + root_ + "/home", "LANG=C.UTF-8", "SHLVL=1", "IS_SANDBOX=1",
                       "ANTHROPIC_API_KEY=key", "ANTHROPIC_BASE_URL=http://127.0.0.1:" + std::to_string(server.port())},
                      root_ + "/project", run.started);
    });
    return run;
  }
  // With the bodies that deft sent.
  Run floor(const Answers& answers, const Run& recorded) {
    for (std::size_t i = 0; i < recorded.seen.size(); ++i) {
      std::ofstream(root_ + "/bodies/" + std::to_string(i), std::ios::binary) << recorded.seen[i].body;
    }
    std::filesystem::remove(root_ + "/bodies/" + std::to_string(recorded.seen.size()));
    bench::ModelServer server;
    Run run;
    run.seen = server.serve(answers, [&] {
      run.usage = run_program({"/proc/self/exe", "--floor", std::to_string(server.port()), root_ + "/bodies"},
                              {"PATH=/usr/bin:/bin"}, root_ + "/project", run.started);
    });
    return run;
  }

  // The least of several runs of each, by `measure`.
  std::pair<double, double> compare(const Answers& answers, const std::function<double(const Run&)>& measure,
                                    int runs = kRuns) {
    double ours = INFINITY, floor_best = INFINITY;
    for (int i = 0; i < runs; ++i) {
      const Run run = deft(answers);
      ours = std::min(ours, measure(run));
      floor_best = std::min(floor_best, measure(floor(answers, run)));
    }
    return {ours, floor_best};
  }

 private:
  std::string root_;
};

void print(std::string_view what, std::pair<double, double> seconds, double target) {
  std::printf("%-44.*s %10.2f ms   floor %9.2f ms   %7.2f x   (at most %.0f)\n", static_cast<int>(what.size()),
              what.data(), seconds.first * 1e3, seconds.second * 1e3, seconds.first / seconds.second, target);
}

double overhead(const Run& run, std::size_t turn) {
  return between(run.seen[turn].last_sent, run.seen[turn + 1].first_byte);
}
double first_overhead(const Run& run) { return overhead(run, 0); }

using Calls = std::vector<std::pair<std::string, std::string>>;
std::string message_of(const Calls& calls, int turn = 0) {
  std::string message = bench::message_begin();
  int index = 0;
  for (const auto& [tool, input] : calls) {
    message += bench::call_block(index, "t" + std::to_string(turn) + "_" + std::to_string(index), tool, input);
    ++index;
  }
  return message + bench::message_end("tool_use");
}
Answers one_message(const Calls& calls) { return {{{message_of(calls)}}, {{done()}}}; }

// What a turn costs beside its calls: the first of a session, and the best of those that follow.
struct BestTurns {
  double first = INFINITY, later = INFINITY;
  void take(const Run& run, std::size_t first_turn = 0) {
    first = std::min(first, overhead(run, first_turn));
    for (std::size_t turn = first_turn + 1; turn + 1 < run.seen.size(); ++turn) {
      later = std::min(later, overhead(run, turn));
    }
  }
};
void print_best(const std::string& what, const BestTurns& ours, const BestTurns& floor) {
  print(what, {ours.later, floor.later}, 2);
  print("    the session's first", {ours.first, floor.first}, 2);
}

void print_turns(Bench& bench, const std::string& what, const std::function<Calls(int turn)>& calls) {
  Answers answers;
  for (int turn = 0; turn < kTurns; ++turn) answers.push_back({{message_of(calls(turn), turn)}});
  answers.push_back({{done()}});
  BestTurns ours, floor;
  for (int i = 0; i < kRuns; ++i) {
    const Run run = bench.deft(answers);
    ours.take(run);
    floor.take(bench.floor(answers, run));
  }
  print_best(what, ours, floor);
}

// A turn that reads the file, then edits of it there and back.
void print_edits(Bench& bench) {
  const std::string path = R"({"file_path":")" + bench.file(1) + "\"";
  Answers answers = {{{message_of({{"Read", path + "}"}})}}};
  for (int turn = 1; turn <= kTurns; ++turn) {
    const bool is_there = turn % 2 == 1;
    const std::string edit = path + R"(,"old_string":")" + (is_there ? "line two" : "line 2 two") +
                             R"(","new_string":")" + (is_there ? "line 2 two" : "line two") + "\"}";
    answers.push_back({{message_of({{"Edit", edit}}, turn)}});
  }
  answers.push_back({{done()}});
  const auto write_anew = [&] { std::ofstream(bench.file(1)) << std::string(2000, 'x') << "\nline two\n"; };
  BestTurns ours, floor;
  for (int i = 0; i < kRuns; ++i) {
    write_anew();
    const Run run = bench.deft(answers);
    ours.take(run, 1);
    write_anew();
    floor.take(bench.floor(answers, run), 1);
  }
  print_best("  one edit", ours, floor);
}

// When a file is opened, by anybody.
class OpenWatch {
 public:
  explicit OpenWatch(const std::string& path) : inotify_(::inotify_init1(IN_CLOEXEC)) {
    ::inotify_add_watch(inotify_, path.c_str(), IN_OPEN);
  }
  ~OpenWatch() { ::close(inotify_); }
  Time wait() const {
    pollfd entry{.fd = inotify_, .events = POLLIN, .revents = 0};
    ::poll(&entry, 1, 10'000);
    return bench::now();
  }

 private:
  int inotify_;
};

// From the end of a call's block to the start of its tool, while the message goes on: in a session's first turn, and
// the best of those that follow.
struct BlockToTool {
  double first = INFINITY, later = INFINITY;
};
Answers watched_reads(Bench& bench, std::vector<double>& seconds) {
  Answers answers;
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto watch = std::make_shared<OpenWatch>(bench.file(turn));
    const std::string read = R"({"file_path":")" + bench.file(turn) + "\"}";
    const std::string block = bench::call_block(0, "t" + std::to_string(turn), "Read", read);
    answers.push_back({{bench::message_begin() + block, bench::message_end("tool_use")},
                       [&seconds, watch](std::size_t part, Time sent) {
                         if (part == 0) seconds.push_back(between(sent, watch->wait()));
                       }});
  }
  answers.push_back({{done()}});
  return answers;
}
void print_block_to_tool(Bench& bench) {
  BestTurns ours, floor;
  const auto take = [](BestTurns& best, const std::vector<double>& seconds) {
    best.first = std::min(best.first, seconds.front());
    best.later = std::min(best.later, *std::min_element(seconds.begin() + 1, seconds.end()));
  };
  for (int i = 0; i < kRuns; ++i) {
    std::vector<double> by_deft, by_floor;
    const Run run = bench.deft(watched_reads(bench, by_deft));
    bench.floor(watched_reads(bench, by_floor), run);
    take(ours, by_deft);
    take(floor, by_floor);
  }
  print_best("a block's end to its tool's start", ours, floor);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--floor") {
    return bench::FloorClient(static_cast<std::uint16_t>(std::atoi(argv[2])), argv[3]).run();
  }
  Bench bench;
  std::printf("deft -p against the smallest native client that does the same\n");
  print(
      "start to the first byte at the server",
      bench.compare({{{done()}}}, [](const Run& run) { return between(run.started, run.seen[0].first_byte); }, 20), 3);

  const auto reads = [&](int count, int turn = 0) {
    Calls calls;
    for (int i = 0; i < count; ++i) {
      calls.emplace_back("Read", R"({"file_path":")" + bench.file(turn * count + i) + "\"}");
    }
    return calls;
  };
  std::printf("last byte to next request\n");
  print_turns(bench, "  1 read", [&](int turn) { return reads(1, turn); });
  print_turns(bench, "  10 parallel reads", [&](int turn) { return reads(10, turn); });
  print_turns(bench, "  50 parallel reads", [&](int turn) { return reads(50, turn); });
  print_edits(bench);
  print_turns(bench, "  one `true`", [](int) { return Calls{{"Bash", R"({"command":"true"})"}}; });
  print("  ten `sleep 0.2`",
        bench.compare(one_message(Calls(10, {"Bash", R"({"command":"sleep 0.2"})"})), first_overhead, 3), 2);
  print("  50 MB of shell output",
        bench.compare(one_message({{"Bash", R"({"command":"head -c 50000000 /dev/zero | tr '\\0' x"})"}}),
                      first_overhead, 3),
        2);

  print_block_to_tool(bench);

  const Answers long_stream = {{{bench::message_begin() + bench::text_block(8000) + bench::message_end("end_turn")}}};
  const auto cpu = [](const Run& run) { return run.usage.cpu_seconds; };
  const auto idle = bench.compare({{{done()}}}, cpu);
  const auto busy = bench.compare(long_stream, cpu);
  print("CPU for 8,000 deltas", {busy.first - idle.first, std::max(busy.second - idle.second, 1e-4)}, 3);
  print("CPU of the whole run with 8,000 deltas", busy, 3);

  Answers hundred;
  for (int i = 0; i < 100; ++i) hundred.push_back(one_message(reads(1))[0]);
  hundred.push_back({{done()}});
  const Run many = bench.deft(hundred);
  const Run one = bench.deft(one_message(reads(1)));
  const auto mean = [&](std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += between(many.seen[i].last_sent, many.seen[i + 1].first_byte);
    return sum / static_cast<double>(to - from);
  };
  std::printf("%-44s %10.2f ms for the first ten, %.2f ms for the last ten\n", "growth over 100 turns, per turn",
              mean(0, 10) * 1e3, mean(90, 100) * 1e3);
  std::printf("%-44s %10.1f MB   after one turn %9.1f MB   (at most 25)\n", "peak memory of 100 turns",
              many.usage.peak_megabytes, one.usage.peak_megabytes);
}
