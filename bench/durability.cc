// What it costs that nothing is lost. Per call: its intent and its result in the journal, so that a kill loses nothing,
// against plain writes of the same bytes; and on the disk, so that a power cut loses nothing either, against the same
// writes with fdatasync. Then a whole file changed by Edit's way (old content kept, change recorded, file replaced).

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "deft/agent/journal.h"
#include "deft/os/disk_files.h"
#include "deft/os/file_changes.h"
#include "deft/os/unique_fd.h"
#include "deft/testing/temp_folder.h"
#include "measure.h"

namespace {

using namespace deft;

constexpr int kRuns = 5;
constexpr int kThreads = 10;

// Not below /tmp where that is memory.
std::string bench_folder() { return std::filesystem::current_path() / "bench-durability"; }

const ToolCall& a_call() {
  static const ToolCall call{.id = "toolu_01ABCDEFGHIJKLMNOP",
                             .name = "Bash",
                             .input = JsonObject{{"command", "make -j8 test"}, {"description", "Run the tests"}},
                             .invalid = std::nullopt};
  return call;
}

ToolResult a_result() { return {.text = std::string(2'000, 'x')}; }

void one_call(Journal& journal) {
  if (!journal.intent(a_call()) || !journal.result(a_call().id, a_call().name, a_result())) std::abort();
}

void floor_call(int file, bool syncs) {
  static const std::string intent(220, 'i');
  static const std::string result(2'150, 'r');
  for (const std::string* line : {&intent, &result}) {
    if (::write(file, line->data(), line->size()) != static_cast<ssize_t>(line->size())) std::abort();
    if (syncs && ::fdatasync(file) != 0) std::abort();
  }
}

double per_call(int calls, const std::function<void()>& call) {
  return bench::fastest(kRuns,
                        [&] {
                          for (int i = 0; i < calls; ++i) call();
                        }) /
         calls;
}

Journal open_journal(const std::string& name, Survives survives) {
  static const SystemClock clock;
  auto journal = Journal::open(bench_folder() + "/" + name, clock, {}, kJournalFile, survives);
  if (!journal) std::abort();
  return std::move(*journal);
}

UniqueFd open_plain(const std::string& name) {
  return UniqueFd(::open((bench_folder() + "/" + name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
}

void bench_calls(Survives survives, const char* what, int calls) {
  const bool syncs = survives == Survives::power_cut;
  const UniqueFd plain = open_plain(syncs ? "plain-synced" : "plain");
  const double floor = per_call(calls, [&] { floor_call(plain.get(), syncs); });
  Journal journal = open_journal(syncs ? "disk" : "process", survives);
  const double journaled = per_call(calls, [&] { one_call(journal); });
  bench::print_ratio(what, journaled, syncs ? "2 x write + fdatasync" : "2 x write", floor);
}

// Ten calls at once, as in one message: those that wait for the disk wait together.
void bench_side_by_side() {
  const UniqueFd plain = open_plain("plain-ten");
  const auto ten = [](const std::function<void()>& call) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(call);
  };
  const double floor = bench::fastest(kRuns, [&] { ten([&] { floor_call(plain.get(), true); }); }) / kThreads;
  Journal journal = open_journal("disk-ten", Survives::power_cut);
  std::atomic<int> number = 0;
  const double journaled =
      bench::fastest(kRuns,
                     [&] {
                       ten([&] {
                         ToolCall call = a_call();
                         call.id += std::to_string(++number);
                         if (!journal.intent(call) || !journal.result(call.id, call.name, a_result())) std::abort();
                       });
                     }) /
      kThreads;
  bench::print_ratio("a call of ten at once, safe on the disk", journaled, "2 x write + fdatasync", floor);
}

// write a temporary file and rename it.
void floor_edit(const std::string& path, const std::string& bytes, bool syncs) {
  const std::string temporary = path + ".new";
  const UniqueFd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  if (syncs && ::fdatasync(file.get()) != 0) std::abort();
  if (::rename(temporary.c_str(), path.c_str()) != 0) std::abort();
  if (!syncs) return;
  const UniqueFd folder(::open(bench_folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (::fsync(folder.get()) != 0) std::abort();
}

void bench_edits(Survives survives, const char* what, int edits) {
  const bool syncs = survives == Survives::power_cut;
  const std::string path = bench_folder() + "/edited";
  std::string content(8'000, 'a');
  floor_edit(path, content, false);
  const double floor = per_call(edits, [&] { floor_edit(path, content, syncs); });
  const std::string session = bench_folder() + (syncs ? "/session-disk" : "/session");
  std::filesystem::create_directories(session);
  FileChanges changes(session, kBeforeImagesBytesMax, survives);
  DiskFiles files(survives, session + "/in-place");
  int number = 0;
  const double edited = per_call(edits, [&] {
    const ContentId before = content_id(content);
    const std::string old = content;
    content = std::to_string(++number) + content.substr(0, 7'990);
    const FileChange change{.path = path, .before = before, .after = content_id(content), .mode = 0600, .call_id = "c"};
    if (!changes.keep(change, old).empty() || !files.replace(path, content, before)) std::abort();
  });
  bench::print_ratio(what, edited, syncs ? "write, fdatasync, rename, fsync" : "write and rename", floor);
}

}  // namespace

int main() {
  std::filesystem::remove_all(bench_folder());
  std::filesystem::create_directories(bench_folder());
  bench_calls(Survives::killed, "a call's intent and result, safe from a kill", 2'000);
  bench_calls(Survives::power_cut, "the same, safe on the disk", 50);
  bench_side_by_side();
  bench_edits(Survives::killed, "an edited file that can be undone, safe from a kill", 500);
  bench_edits(Survives::power_cut, "the same, safe on the disk", 30);
  std::filesystem::remove_all(bench_folder());
}
