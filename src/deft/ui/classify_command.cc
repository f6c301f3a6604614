#include "deft/ui/classify_command.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "deft/shell/classify.h"
#include "deft/shell/parse.h"
#include "deft/shell/render.h"
#include "deft/tools/read_only_judge.h"

namespace deft {
namespace {

constexpr const char* kHelp = R"(Says whether a command line only reads, and why. Runs nothing.

Usage: deft classify COMMAND
       deft classify --json      lines of {"id","cmd","cwd"} in, {"id","verdict","reason"} out, in order

Read-only means: under bash, started fresh in that directory, it changes nothing that lasts, runs no program or code
that an argument, a variable, a file name or the repository chooses, and opens no network connection. Whatever is not
known to be so is not read-only.

Examples:
  deft classify 'git log --oneline | head -5'
  echo '{"id":1,"cmd":"find . -delete","cwd":"/tmp"}' | deft classify --json

Exit code: 0 read-only, 1 not read-only, 2 unusable arguments; with --json always 0.
)";

shell::ClassifyOptions options_here() {
  std::error_code ec;
  const char* home = std::getenv("HOME");
  return {.cwd = std::filesystem::current_path(ec).string(), .home = home ? home : "", .files = file_view_of_disk()};
}

// Of a line that is longer than any that can be used only the begin is kept. False: the input has ended.
bool read_line(std::string& line) {
  line.clear();
  bool read_any = false;
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    read_any = true;
    if (c == '\n') break;
    if (line.size() <= shell::kJsonLineBytesMax) line += static_cast<char>(c);
  }
  return read_any;
}

int classify_lines() {
  const shell::ClassifyOptions options = options_here();
  for (std::string line; read_line(line);) {
    std::printf("%s\n", shell::classify_json_line(line, options).c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int run_classify(int argc, const char* const* argv) {
  const std::string_view argument = argc == 2 ? argv[1] : "";
  if (argument == "--help" || argument == "-h") return std::fputs(kHelp, stdout), 0;
  if (argument == "--json") return classify_lines();
  if (argc != 2) {
    std::fputs("deft classify: give one command line in quotes, or --json; see deft classify --help\n", stderr);
    return 2;
  }
  const shell::Verdict verdict = shell::classify(argument, options_here());
  std::printf("%s: %s\n", verdict.read_only ? "read-only" : "not read-only", verdict.reason.c_str());
  if (const auto script = shell::parse(argument)) std::printf("%s\n", shell::render(*script).c_str());
  return verdict.read_only ? 0 : 1;
}

}  // namespace deft
