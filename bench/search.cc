// Grep and Glob inside this process against ripgrep as a child: the same question on the same tree, in turns. The large
// tree is a copy of what the machine has of headers, documentation and modules; the small one is 100 files of it.

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "deft/os/disk_files.h"
#include "deft/testing/sim_random.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/glob_tool.h"
#include "deft/tools/grep.h"
#include "measure.h"

extern char** environ;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargeFiles = 40'000;
constexpr std::size_t kSmallFiles = 100;
constexpr int kLargeRuns = 7;
constexpr int kSmallRuns = 200;
constexpr int kCancels = 30;

std::size_t copy_some(const fs::path& from, const fs::path& to, std::size_t files_max) {
  std::size_t files = 0;
  const auto options = fs::directory_options::skip_permission_denied;
  for (const auto& entry : fs::recursive_directory_iterator(from, options)) {
    if (files == files_max) break;
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    const fs::path target = to / entry.path().lexically_relative(from);
    fs::create_directories(target.parent_path());
    fs::copy_file(entry.path(), target);
    ++files;
  }
  return files;
}

// From the same sources again, if need be, until there are enough.
std::size_t make_tree(const std::string& folder, std::size_t files_wanted) {
  std::size_t files = 0;
  for (int round = 0; files < files_wanted; ++round) {
    const std::size_t before = files;
    for (const char* source : {"/usr/include", "/usr/share/nodejs", "/usr/share/doc", "/usr/lib/python3"}) {
      if (!fs::is_directory(source)) continue;
      files += copy_some(source, folder + "/" + std::to_string(round) + source, files_wanted - files);
    }
    if (files == before) break;
  }
  return files;
}

// DEFT_RIPGREP compares with another version than the installed one.
std::string ripgrep() {
  const char* other = std::getenv("DEFT_RIPGREP");
  return other ? other : "rg";
}

// Everything that ripgrep prints is read, as whoever starts it would.
void run_child(const std::vector<std::string>& arguments, const std::string& folder) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) std::abort();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  if (::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ) != 0) {
    std::fprintf(stderr, "%s cannot be started: install the package ripgrep\n", argv[0]);
    std::exit(1);
  }
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  std::array<char, 65'536> buffer;
  while (::read(pipe[0], buffer.data(), buffer.size()) > 0) {
  }
  ::close(pipe[0]);
  ::waitpid(child, nullptr, 0);
}

class Comparison {
 public:
  Comparison(std::string folder, int runs) : folder_(std::move(folder)), runs_(runs), bench_(files_, folder_) {}

  void grep(const char* name, const deft::JsonObject& input, std::vector<std::string> options) {
    options.insert(options.begin(), {ripgrep(), "--no-config", "--hidden", "--glob=!.git", "--no-heading", "-n"});
    options.push_back("--regexp=" + std::string(input.at("pattern").get_string()));
    options.emplace_back(".");
    compare(name, *grep_, input, options);
  }

  void glob(const char* name, const char* pattern) {
    compare(name, *glob_, {{"pattern", pattern}},
            {ripgrep(), "--no-config", "--hidden", "--no-ignore", "--files", std::string("--glob=") + pattern, "."});
  }

  // How long a search takes to end once it is told to, wherever it is.
  void cancel(const deft::JsonObject& input) {
    const double whole = bench::fastest(3, [&] { call(*grep_, input); });
    deft::sim::Random random(1);
    double worst = 0;
    for (int i = 0; i < kCancels; ++i) {
      deft::ToolBench stopped(files_, folder_);
      std::jthread search([&] { static_cast<void>(stopped.call(*grep_, input)); });
      std::this_thread::sleep_for(std::chrono::duration<double>(whole * random.below(900) / 1000));
      worst = std::max(worst, bench::seconds_of([&] {
                         stopped.stop().request_stop();
                         search.join();
                       }));
    }
    std::printf("%-52s %10.2f us   the slowest of %d (a whole search takes %.0f ms)\n",
                "  until a cancelled search ends", worst * 1e6, kCancels, whole * 1e3);
  }

 private:
  void call(deft::Tool& tool, const deft::JsonObject& input) {
    if (const auto result = bench_.call(tool, input); !result) {
      std::fprintf(stderr, "%s\n", result.error().message.c_str());
      std::exit(1);
    }
  }

  void compare(const char* name, deft::Tool& tool, const deft::JsonObject& input,
               const std::vector<std::string>& arguments) {
    double ours = 1e9;
    double theirs = 1e9;
    for (int i = 0; i < runs_; ++i) {
      theirs = std::min(theirs, bench::seconds_of([&] { run_child(arguments, folder_); }));
      ours = std::min(ours, bench::seconds_of([&] { call(tool, input); }));
    }
    bench::print_ratio(std::string("  ") + name, ours, "rg", theirs);
  }

  const std::string folder_;
  const int runs_;
  deft::DiskFiles files_;
  deft::ToolBench bench_;
  std::shared_ptr<deft::Tool> grep_ = deft::make_grep_tool();
  std::shared_ptr<deft::Tool> glob_ = deft::make_glob_tool();
};

void compare_all(Comparison& comparison) {
  using deft::JsonObject;
  comparison.grep("rare literal", {{"pattern", "Zyzzyva"}}, {"-l"});
  comparison.grep("literal, files", {{"pattern", "unique_ptr"}}, {"-l"});
  comparison.grep("literal, lines", {{"pattern", "unique_ptr"}, {"output_mode", "content"}}, {});
  comparison.grep("(TODO|FIXME|XXX|HACK)", {{"pattern", "(TODO|FIXME|XXX|HACK)"}}, {"-l"});
  comparison.grep(R"(std::\w+_ptr<\s*const)", {{"pattern", R"(std::\w+_ptr<\s*const)"}}, {"-l"});
  comparison.grep(R"(\w+_iterator<[A-Z]\w*>)", {{"pattern", R"(\w+_iterator<[A-Z]\w*>)"}}, {"-l"});
  comparison.grep("copyright holder, any case", {{"pattern", "copyright holder"}, {"-i", true}}, {"-l", "-i"});
  comparison.grep("no literal: [a-z]+_[0-9]+ = [0-9]+$", {{"pattern", "[a-z]+_[0-9]+ = [0-9]+$"}}, {"-l"});
  comparison.grep("common word, counted", {{"pattern", "the"}, {"output_mode", "count"}}, {"-c"});
  comparison.grep("over several lines: struct \\w+\\s*\\{\\s*int",
                  {{"pattern", R"(struct \w+\s*\{\s*int)"}, {"multiline", true}}, {"-l", "-U", "--multiline-dotall"});
  comparison.glob("Glob **/*.h", "**/*.h");
}

}  // namespace

int main() {
  const deft::TempFolder large;
  const deft::TempFolder small;
  std::printf("large tree: %zu files, small tree: %zu\n", make_tree(large.path(), kLargeFiles),
              make_tree(small.path(), kSmallFiles));
  Comparison in_large(large.path(), kLargeRuns);
  compare_all(in_large);
  in_large.cancel({{"pattern", R"(\w+_iterator<[A-Z]\w*>)"}});
  std::printf("small tree\n");
  Comparison in_small(small.path(), kSmallRuns);
  compare_all(in_small);
}
