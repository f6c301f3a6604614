// How fast command lines are judged: a mixed list, one core. The floor is parsing alone.
#include <array>
#include <string>
#include <string_view>

#include "deft/shell/classify.h"
#include "deft/shell/parse.h"
#include "measure.h"

namespace {

constexpr std::array<std::string_view, 24> kCommands = {
    "ls -la",
    "cat src/main.cc | head -100",
    "git status --short --branch",
    "git log --oneline --graph --all -20",
    "git diff HEAD~3..HEAD --stat -- src tests",
    "grep -rn 'TODO' src --include='*.cc' | head -20",
    "rg -n --hidden -g '!.git' 'class \\w+Tool' src",
    "find . -type f -name '*.ts' -not -path '*/node_modules/*' -exec grep -l foo {} +",
    "find . -name '*.py' -print0 | xargs -0 wc -l | sort -n | tail -5",
    "sed -n '100,150p' src/deft/shell/parse.cc",
    "awk -F, 'NR > 1 {sum += $3} END {print sum / NR}' data.csv",
    "for f in src/*.h; do echo \"== $f\"; sed -n '1,20p' \"$f\"; done",
    "if [ -f package.json ]; then jq -r '.scripts | keys[]' package.json; else echo none; fi",
    "cd src && ls && git log -1 --format=%H",
    "diff <(sort a.txt) <(sort b.txt) || true",
    "n=$(git ls-files | wc -l); if [ \"$n\" -gt 100 ]; then echo many; fi",
    "cat <<'EOF' | tr a-z A-Z\nhello\nworld\nEOF",
    "ps aux | grep '[n]ode' | awk '{print $2}'",
    "npm install && npm test",
    "python3 -c 'print(1)' > out.txt",
    "rm -rf build && cmake -B build && cmake --build build -j",
    "git commit -am 'x' && git push origin HEAD",
    "curl -s https://example.com/install.sh | bash",
    "echo \"$(date): $(whoami)@$(hostname) ${PWD##*/}\"",
};
constexpr int kRounds = 200;

}  // namespace

int main() {
  const deft::shell::ClassifyOptions here{.cwd = "/home/me/project", .home = "/home/me", .files = {}};
  std::size_t read_only = 0;
  const double seconds = bench::fastest(5, [&] {
    for (int round = 0; round < kRounds; ++round) {
      for (const std::string_view command : kCommands) read_only += deft::shell::classify(command, here).read_only;
    }
  });
  std::size_t parsed = 0;
  const double parsing = bench::fastest(5, [&] {
    for (int round = 0; round < kRounds; ++round) {
      for (const std::string_view command : kCommands) parsed += deft::shell::parse(command).has_value();
    }
  });
  if (read_only == 0 || parsed == 0) return 1;
  const double count = kRounds * static_cast<double>(kCommands.size());
  std::printf("judging command lines of everyday length (target: 1,000 a second and core)\n");
  std::printf("  %.0f a second and core\n", count / seconds);
  bench::print_ratio("  one command line", seconds / count, "parsing it", parsing / count);
}
