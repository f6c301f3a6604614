#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "deft/mcp/authorizer.h"
#include "deft/os/processes.h"

namespace deft {

inline constexpr Duration kMcpHelperTimeout = std::chrono::seconds(10);
inline constexpr std::size_t kMcpHelperBytesMax = std::size_t{64} << 10;

// "headersHelper": a command of the user's that prints the headers for a server as a JSON object. Asked once, and again
// when the server refuses what it said. `next`, if there is one, adds its own headers and is asked then.
class HeadersHelper final : public McpAuthorizer {
 public:
  // Everything outlives it. `environment`: what the command gets.
  HeadersHelper(Processes& processes, const Clock& clock, std::string command, std::vector<std::string> environment,
                McpAuthorizer* next);

  Result<HttpHeaders> headers(std::stop_token stop) override;
  Result<void> refused(const HttpHead& head, const HttpHeaders& sent, std::stop_token stop) override;

 private:
  Result<HttpHeaders> ask(const std::stop_token& stop);

  Processes& processes_;
  const Clock& clock_;
  const std::string command_;
  const std::vector<std::string> environment_;
  McpAuthorizer* const next_;
  std::mutex mutex_;
  std::optional<HttpHeaders> known_;  // under mutex_
};

}  // namespace deft
