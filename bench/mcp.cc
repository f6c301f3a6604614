// What MCP costs: one call of a server's tool against the bare JSON-RPC round trip with the same server over the same
// kind of pipe; and fifty servers that start side by side against one.
#include <sys/resource.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "deft/mcp/login.h"
#include "deft/mcp/servers.h"
#include "deft/os/curl_http_client.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/places.h"
#include "measure.h"

namespace {

constexpr int kCalls = 2000;
constexpr int kRuns = 5;
constexpr int kServers = 50;

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
  deft::CurlHttpClient http{deft::HttpNetwork()};
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

double start_and_stop(Ground& ground, int count) {
  double seconds = 0;
  {
    deft::McpServers servers(ground.options());
    seconds = bench::seconds_of([&] { start(servers, count); });
  }
  return seconds;
}

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main() {
  Ground ground;
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
  {
    deft::McpServers servers(ground.options());
    start(servers, 1);
    const auto connection = servers.find("s0");
    const deft::Json arguments = deft::JsonObject{{"text", "hello"}};
    const double call = bench::fastest(kRuns,
                                       [&] {
                                         for (int i = 0; i < kCalls; ++i) {
                                           if (!connection->call_tool("echo", arguments, {}, {})) std::abort();
                                         }
                                       }) /
                        kCalls;
    bench::print_ratio("one call of a server's tool", call, "bare round trip", floor);
  }
  const double one = start_and_stop(ground, 1);
  const double before = peak_megabytes();
  const double many = start_and_stop(ground, kServers);
  bench::print_ratio("50 servers until all their tools are there", many, "one server", one);
  std::printf("%-52s %10.2f MB more at the peak\n", "50 servers, memory of deft", peak_megabytes() - before);
  return 0;
}
