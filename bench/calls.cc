// What the engine adds to a call: a tool that does nothing, through all nine stages. The floor is starting a thread.
#include <filesystem>
#include <string>
#include <thread>

#include "deft/agent/engine.h"
#include "deft/testing/lambda_tool.h"
#include "measure.h"

namespace {

using namespace deft;

class Nobody final : public Frontend {
 public:
  void show(Event) override {}
};

using FootprintOf = std::function<Footprint(std::size_t)>;

// Carries out one message of `calls` no-op calls.
void run_message(std::size_t calls, bool read_only, const FootprintOf& footprint_of) {
  Nobody nobody;
  auto engine = Engine::open({.working_directory = std::filesystem::current_path(), .mode = Mode::bypass}, nobody);
  if (!engine) std::abort();
  const auto added = (*engine)->add_tool(std::make_shared<LambdaTool>(
      LambdaTool::Parts{.spec = {.name = "Nothing", .input_schema = any_object_schema()},
                        .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "ok"}; },
                        .is_read_only = [read_only](const Json&) { return read_only; },
                        .footprint =
                            [&](const Json& input) {
                              return std::optional(footprint_of(static_cast<std::size_t>(*find_int(input, "n"))));
                            }}));
  if (!added) std::abort();
  for (std::size_t i = 0; i < calls; ++i) {
    (*engine)->feed(CallArrived{{.id = std::to_string(i), .name = "Nothing", .input = JsonObject{{"n", i}}}});
  }
  (*engine)->feed(InputEnded{});
  if ((*engine)->run().calls != calls) std::abort();
}

double per_call(std::size_t calls, bool read_only, const FootprintOf& footprint_of) {
  return bench::fastest(5, [&] { run_message(calls, read_only, footprint_of); }) / static_cast<double>(calls);
}

}  // namespace

int main() {
  const double thread_start = bench::fastest(5,
                                             [] {
                                               for (int i = 0; i < 1000; ++i) std::thread([] {}).join();
                                             }) /
                              1000;
  const auto reads_one = [](std::size_t) { return Footprint::reads("/usr/include/stdio.h"); };
  const auto anything = [](std::size_t) { return Footprint::everything(); };
  const auto own_file = [](std::size_t n) { return Footprint::writes("/tmp/deft-bench-" + std::to_string(n)); };
  const auto one_file = [](std::size_t) { return Footprint::writes("/tmp/deft-bench"); };
  const auto mixed = [](std::size_t n) {
    return n % 10 == 9 ? Footprint::everything() : Footprint::reads_tree("/tmp");
  };

  std::printf("one no-op call through the whole pipeline, in a message of 2,000 (target: under 30 us)\n");
  bench::print_ratio("  reading, side by side", per_call(2000, true, reads_one), "a thread's start and end",
                     thread_start);
  bench::print_ratio("  with an effect (journaled), one after another", per_call(2000, false, anything),
                     "a thread's start and end", thread_start);

  std::printf("a call in a message of 10,000, beside one of 1,000 (1.0: no quadratic growth)\n");
  const std::pair<const char*, FootprintOf> shapes[] = {{"  reads of one file", reads_one},
                                                        {"  edits of different files", own_file},
                                                        {"  edits of one file", one_file},
                                                        {"  unknown commands", anything},
                                                        {"  nine tree reads, one unknown command", mixed}};
  for (const auto& [name, footprint_of] : shapes) {
    bench::print_ratio(name, per_call(10'000, false, footprint_of), "in 1,000", per_call(1'000, false, footprint_of));
  }
}
