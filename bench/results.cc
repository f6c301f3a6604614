// A result of 50 MB through stage 9: what it costs to keep it in the session's folder and leave a preview, against a
// plain write of the same bytes; and to find that the same content is there already. Then what the budget of a message
// costs.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "deft/agent/result_store.h"
#include "deft/os/unique_fd.h"
#include "deft/testing/temp_folder.h"
#include "measure.h"

namespace {

using namespace deft;

constexpr int kRuns = 5;
constexpr std::size_t kBytes = std::size_t{50} << 20;

std::string lines(char fill) {
  std::string text;
  text.reserve(kBytes + 200);
  for (std::size_t number = 0; text.size() < kBytes; ++number) {
    text += std::to_string(number) + std::string(72, fill) + "\n";
  }
  return text;
}

void plain_write(const std::string& path, const std::string& text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(file.get(), rest.data(), rest.size());
    if (written <= 0) std::abort();
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

long peak_kilobytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

double time_to_store(const std::string& folder, const std::string& text, bool is_there) {
  double best = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    const std::string session = folder + "/" + std::to_string(run) + (is_there ? "-again" : "");
    std::filesystem::create_directory(session);
    const ResultStore store(session);
    if (is_there && !store.folder()->keep("first", ".txt", text)) std::abort();
    ToolResult result{.text = text};
    best = std::min(best, bench::seconds_of([&] { store.bound(result, "toolu_1"); }));
    if (!result.stored || result.stored->path.empty()) std::abort();
    std::filesystem::remove_all(session);
  }
  return best;
}

}  // namespace

int main() {
  const TempFolder folder;
  const std::string text = lines('x');
  const std::string path = folder / "plain";
  double floor = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    floor = std::min(floor, bench::seconds_of([&] { plain_write(path, text); }));
    ::unlink(path.c_str());
  }
  const double stored = time_to_store(folder.path(), text, false);
  const long before = peak_kilobytes();
  const double again = time_to_store(folder.path(), text, true);
  bench::print_ratio("a 50 MB result, stored, with its preview", stored, "a plain write of the same", floor);
  bench::print_ratio("the same once more: compared, not written", again, "a plain write of the same", floor);
  std::printf("peak memory grew by %ld kB\n", peak_kilobytes() - before);

  std::vector<ResultCost> costs;
  for (std::size_t i = 0; i < 1'000; ++i)
    costs.push_back({.characters = i * 7 % 30'000, .with_preview = 2'500, .with_path = 500});
  std::size_t shown = 0;
  const double fitted = bench::fastest(kRuns, [&] { shown += fit_message(costs, 200'000).size(); });
  std::printf("%-52s %10.2f us\n", "the budget of a message with 1,000 results", fitted * 1e6);
  return shown == 0 ? 1 : 0;
}
