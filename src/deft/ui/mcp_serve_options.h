#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "deft/ui/exec_options.h"

namespace deft {

struct McpServeOptions {
  ExecOptions session;  // where it works, with which permissions
  bool over_http = false;
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::vector<std::string> names = {};  // hosts that it goes by beside those of loopback
  std::string token = {};               // empty: one is made
  bool asks_client = false;
  bool proxy = false;
};

// From the command line, the settings it names and the environment. The error says what to change.
Result<std::variant<McpServeOptions, ShowText>> parse_mcp_serve_options(int argc, const char* const* argv);

// "127.0.0.1:7000", "[::1]:7000", "7000", "localhost:7000".
struct ListenAddress {
  std::string address;
  std::uint16_t port = 0;
};
Result<ListenAddress> parse_listen_address(const std::string& text);

}  // namespace deft
