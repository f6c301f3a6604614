#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "deft/mcp/transport.h"
#include "deft/os/processes.h"

namespace deft {

// Of what a server writes to its standard error the end is kept.
inline constexpr std::size_t kMcpLastWordsBytesMax = std::size_t{8} << 10;
// How long a server has between the end of its input and SIGTERM.
inline constexpr Duration kMcpExitGrace = std::chrono::seconds(2);

// A server that is a program of ours: a message is a line on its standard input or output (FORMATS 7.3). The program
// belongs to the warden, so nothing of it outlives us. A server that does not read its input holds up nobody: what is
// sent waits here, up to a limit.
class StdioTransport final : public McpTransport {
 public:
  StdioTransport(Processes& processes, Command command, const Clock& clock, Duration exit_grace = kMcpExitGrace);
  ~StdioTransport() override;

  Result<void> start(std::shared_ptr<McpReceiver> receiver, std::stop_token stop) override;
  void send(RpcMessage message, HttpHeaders headers = {}) override;
  void forget(const RpcId&) override {}
  void close() override;
  std::string last_words() const override;

 private:
  struct Shared;
  void read_output(const std::stop_token& stop);
  void read_errors(const std::stop_token& stop);
  void write_input(const std::stop_token& stop);

  Processes& processes_;
  const Command command_;
  const Clock& clock_;
  const Duration exit_grace_;
  const std::unique_ptr<Shared> shared_;
  std::unique_ptr<Child> child_;
  std::jthread writer_;
  std::jthread reader_;
  std::jthread errors_reader_;
};

}  // namespace deft
