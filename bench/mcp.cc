// What MCP costs: one call of a server's tool against the bare JSON-RPC round trip with the same server over the same
// kind of pipe, by the client alone and through the whole gate; what 300 tools cost the first request, listed and left
// out; and fifty servers that start side by side against one.
#include <sys/resource.h>

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

#include "deft/agent/engine.h"
#include "deft/core/context_gauge.h"
#include "deft/mcp/login.h"
#include "deft/mcp/servers.h"
#include "deft/os/system_http_client.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/places.h"
#include "deft/testing/temp_folder.h"
#include "deft/tools/registry.h"
#include "deft/tools/tool_search.h"
#include "measure.h"

namespace {

constexpr int kCalls = 2000;
constexpr int kRuns = 7;
constexpr int kServers = 50;
constexpr int kTools = 300;

std::string server() { return std::filesystem::path(DEFT_PROGRAM).parent_path() / "mcp-misbehaving-server"; }

// The least that a call can be: a line in, a line out.
class BareServer {
 public:
  explicit BareServer(deft::Processes& processes) {
    auto child = processes.start({.argv = {server(), "good"}, .separate_errors = true}, {});
    if (!child) std::abort();
    child_ = *std::move(child);
  }
  void round_trip(std::string_view line) {
    if (!child_->write(line, {})) std::abort();
    std::array<char, 4096> bytes{};
    while (true) {
      const auto count = child_->read(deft::OutputStream::output, bytes, {});
      if (!count || *count == 0) std::abort();
      if (bytes[*count - 1] == '\n') return;
    }
  }

 private:
  std::unique_ptr<deft::Child> child_;
};

struct Ground {
  deft::SystemClock clock;
  deft::WardenProcesses processes{clock};
  deft::SystemHttpClient http{deft::HttpNetwork()};
  deft::McpMemory memory{""};
  deft::OauthMemory logins;

  deft::McpServersOptions options() {
    deft::McpServersOptions out{
        .processes = processes, .http = http, .clock = clock, .memory = memory, .logins = logins};
    out.environment = {"PATH=/usr/bin:/bin"};
    out.directory = "/";
    return out;
  }
};

void start(deft::McpServers& servers, int count) {
  std::vector<deft::McpServerSettings> settings;
  for (int i = 0; i < count; ++i) {
    settings.push_back({.name = "s" + std::to_string(i), .command = server(), .args = {"good"}});
  }
  servers.start(std::move(settings));
  if (!servers.wait(std::chrono::minutes(1), {})) std::abort();
}

double megabytes_now() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  double resident = 0;
  file >> pages >> resident;
  return resident * 4096 / (1 << 20);
}

// --- one call ---

// A front end that only waits for the answer.
class Waiting final : public deft::Frontend {
 public:
  void show(deft::Event event) override {
    if (!std::holds_alternative<deft::CallAnswered>(event)) return;
    const std::lock_guard lock(mutex_);
    ++answered_;
    came_.notify_one();
  }
  void wait_for(int count) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return answered_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  int answered_ = 0;
};

// Hooks, permission, journal, budget: all that stands before a call that a model makes.
double through_the_gate(Ground& ground) {
  const deft::TempFolder folder;
  Waiting frontend;
  auto engine = deft::Engine::open(
      {.working_directory = folder.path(), .rules = {.allow = {deft::read_rule("mcp__s0")}}}, frontend);
  if (!engine) std::abort();
  deft::McpServersOptions options = ground.options();
  options.publish = [&](const std::string& name, std::vector<std::shared_ptr<deft::Tool>> tools) {
    (*engine)->feed(deft::ToolsChanged{name, std::move(tools)});
  };
  deft::McpServers servers(std::move(options));
  start(servers, 1);
  std::jthread running([&] { (*engine)->run(); });
  int made = 0;
  const double seconds = bench::fastest(kRuns, [&] {
    for (int i = 0; i < kCalls; ++i) {
      ++made;
      (*engine)->feed(deft::CallArrived{
          {.id = "c" + std::to_string(made), .name = "mcp__s0__echo", .input = deft::JsonObject{{"text", "hello"}}}});
      (*engine)->feed(deft::MessageEnded{});
      frontend.wait_for(made);
    }
  });
  (*engine)->feed(deft::InputEnded{});
  running.join();
  return seconds / kCalls;
}

void measure_calls(Ground& ground) {
  BareServer bare(ground.processes);
  bare.round_trip(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})"
                  "\n");
  const std::string line =
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}})"
      "\n";
  const double floor = bench::fastest(kRuns,
                                      [&] {
                                        for (int i = 0; i < kCalls; ++i) bare.round_trip(line);
                                      }) /
                       kCalls;
  double call = 0;
  {
    deft::McpServers servers(ground.options());
    start(servers, 1);
    const auto connection = servers.find("s0");
    const deft::Json arguments = deft::JsonObject{{"text", "hello"}};
    call = bench::fastest(kRuns,
                          [&] {
                            for (int i = 0; i < kCalls; ++i) {
                              if (!connection->call_tool("echo", arguments, {}, {})) std::abort();
                            }
                          }) /
           kCalls;
  }
  bench::print_ratio("one call of a server's tool, by the client", call, "bare round trip", floor);
  bench::print_ratio("the same, through the whole gate", through_the_gate(ground), "bare round trip", floor);
}

// --- 300 tools ---

// What servers are like: a name, a paragraph, a handful of described arguments.
class Sample final : public deft::Tool {
 public:
  explicit Sample(int number) {
    spec_.name = "mcp__server" + std::to_string(number / 20) + "__update_record_" + std::to_string(number);
    spec_.description =
        "Updates one record of the given project. Fields that are not named stay as they are; a field that is null is "
        "emptied. Returns the record as it is then, with its history of changes. Use the search tool first if you do "
        "not know the record's id.";
    deft::JsonObject properties;
    for (const char* name : {"project", "record", "title", "body", "labels", "assignee"}) {
      properties[name] = {{"type", "string"}, {"description", "The " + std::string(name) + " of the record, as text"}};
    }
    spec_.input_schema = deft::JsonObject{
        {"type", "object"}, {"properties", std::move(properties)}, {"required", {"project", "record"}}};
    spec_.origin = deft::Origin::mcp;
    spec_.should_defer = true;
  }
  const deft::ToolSpec& spec() const override { return spec_; }
  deft::Result<deft::ToolResult> run(const deft::Json&, deft::ToolIo&) override { return deft::ToolResult{}; }

 private:
  deft::ToolSpec spec_{};
};

std::uint64_t first_request_tokens(deft::Deferral::When when) {
  deft::ToolRegistry registry;
  if (!registry.add(deft::make_tool_search_tool())) std::abort();
  std::vector<std::shared_ptr<deft::Tool>> tools;
  for (int i = 0; i < kTools; ++i) tools.push_back(std::make_shared<Sample>(i));
  registry.set_group("servers", std::move(tools));
  registry.set_deferral({.when = when});
  const auto pool = registry.pool(deft::Permissions({}, deft::Mode::normal, {}));
  std::string names;
  for (const std::string& name : pool->deferred()) names += name + "\n";
  return (pool->definitions({}).size() + names.size()) / deft::kBytesPerToken;
}

void measure_tokens() {
  const auto listed = first_request_tokens(deft::Deferral::When::never);
  const auto left_out = first_request_tokens(deft::Deferral::When::always);
  std::printf("%-52s %10llu tokens %6.2f x listed (%llu tokens), about\n", "300 tools in the first request, left out",
              static_cast<unsigned long long>(left_out), static_cast<double>(left_out) / static_cast<double>(listed),
              static_cast<unsigned long long>(listed));
}

// --- 50 servers ---

// Until the first request could be sent: all of them have said which tools they have.
double start_and_stop(Ground& ground, int count, double* megabytes = nullptr) {
  deft::McpServers servers(ground.options());
  const double before = megabytes_now();
  const double seconds = bench::seconds_of([&] { start(servers, count); });
  if (megabytes != nullptr) *megabytes = megabytes_now() - before;
  return seconds;
}

void measure_servers(Ground& ground) {
  double one = start_and_stop(ground, 1);
  double many = 0;
  double megabytes = 0;
  for (int run = 0; run < 3; ++run) {
    one = std::min(one, start_and_stop(ground, 1));
    double its = 0;
    const double seconds = start_and_stop(ground, kServers, &its);
    if (run == 0 || seconds < many) many = seconds;
    megabytes = std::max(megabytes, its);
  }
  bench::print_ratio("50 servers until the first request can be sent", many, "one server", one);
  std::printf("%-52s %10.2f MB, %.2f for each\n", "50 servers, memory of deft", megabytes, megabytes / kServers);
}

}  // namespace

int main() {
  Ground ground;
  measure_calls(ground);
  measure_tokens();
  measure_servers(ground);
  return 0;
}
