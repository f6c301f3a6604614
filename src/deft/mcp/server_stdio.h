#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "deft/mcp/server.h"

namespace deft {

inline constexpr std::size_t kMcpLineBytesMax = std::size_t{64} << 20;

// The stdio transport of a server: one client, a message in each line. Lines come in by feed(), in pieces of any size,
// from one thread; what is said goes to `write`, from any thread, without its newline.
class McpStdioEndpoint {
 public:
  using Write = std::function<void(std::string line)>;
  McpStdioEndpoint(McpService& service, Write write);
  ~McpStdioEndpoint() { session_->end(); }

  void feed(std::string_view bytes);
  void end() { session_->end(); }                                // the client closed its side
  std::size_t requests() const { return session_->requests(); }  // that wait for an answer
  void announce(const McpChange& change) { session_->announce(change); }

 private:
  class Outlet;
  void take_line(std::string_view line);

  const std::shared_ptr<Outlet> outlet_;
  const std::shared_ptr<McpClientSession> session_;
  std::string line_;       // the beginning of one
  bool too_long_ = false;  // what comes up to the next newline is thrown away
};

}  // namespace deft
