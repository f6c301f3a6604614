// mcp-conformance-server --port N: what the official conformance suite drives. Port 0 takes one that is free; the URL
// is printed.

#include <charconv>
#include <cstdio>
#include <memory>
#include <string_view>

#include <unistd.h>

#include "conformance_fixtures.h"
#include "deft/mcp/server_http.h"

int main(int argc, char** argv) {
  std::uint16_t port = 0;
  const std::string_view option = argc > 1 ? argv[1] : "";
  const std::string_view number = argc > 2 ? argv[2] : "";
  const auto read = std::from_chars(number.data(), number.data() + number.size(), port);
  if (option != "--port" || number.empty() || read.ec != std::errc()) {
    std::fputs("usage: mcp-conformance-server --port N\n", stderr);
    return 2;
  }
  deft::SystemClock clock;
  std::unique_ptr<deft::McpHttpEndpoint> endpoint;
  deft::ConformanceFixtures fixtures([&](const deft::McpChange& change) { endpoint->announce(change); });
  // The endpoint must know the port; a first server finds one that is free.
  if (port == 0) {
    const auto probe = deft::start_http_server({}, clock, [](const auto&, const auto&) {});
    if (!probe) return std::fprintf(stderr, "%s\n", probe.error().message.c_str()), 1;
    port = (*probe)->port();
  }
  endpoint = std::make_unique<deft::McpHttpEndpoint>(fixtures, deft::HttpGuard({}, port, ""), clock);
  auto server = deft::start_http_server({.port = port}, clock,
                                        [&](deft::ReadRequest request, std::shared_ptr<deft::HttpAnswer> answer) {
                                          endpoint->serve(std::move(request), std::move(answer));
                                        });
  if (!server) return std::fprintf(stderr, "%s\n", server.error().message.c_str()), 1;
  std::printf("http://127.0.0.1:%d/mcp\n", static_cast<int>(port));
  std::fflush(stdout);
  // Until whoever started us closes our input.
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
  server->reset();
  endpoint.reset();
  return 0;
}
