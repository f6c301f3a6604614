#include "deft/mcp/server_stdio.h"

#include <algorithm>
#include <utility>

#include "deft/mcp/server_batch.h"

namespace deft {

class McpStdioEndpoint::Outlet final : public McpOutlet {
 public:
  explicit Outlet(Write write) : write_(std::move(write)) {}
  void send(std::string message) override { write_(std::move(message)); }
  void finish(std::string message, std::optional<std::int64_t>, bool) override { write_(std::move(message)); }
  void abandon() override {}

 private:
  const Write write_;
};

McpStdioEndpoint::McpStdioEndpoint(McpService& service, Write write)
    : outlet_(std::make_shared<Outlet>(std::move(write))),
      session_(std::make_shared<McpClientSession>(service, "stdio")) {
  session_->use_general_outlet(outlet_);
}

void McpStdioEndpoint::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (!too_long_ && line_.size() + piece.size() > kMcpLineBytesMax) {
      too_long_ = true;
      line_ = {};
      outlet_->send(to_text(rpc_failure(std::nullopt, kRpcInvalidRequest,
                                        "a message may have " + std::to_string(kMcpLineBytesMax) + " bytes")));
    }
    if (!too_long_) line_ += piece;
    if (end == std::string_view::npos) continue;
    if (!std::exchange(too_long_, false)) take_line(line_);
    line_.clear();
  }
}

void McpStdioEndpoint::take_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return;
  auto received = read_mcp_messages(line);
  if (!received) {
    const RpcFault& fault = received.error();
    return outlet_->send(to_text(rpc_failure(fault.id, fault.code, fault.message)));
  }
  if (!received->is_batch) return session_->take(*std::move(received->messages[0]), outlet_);
  if (const auto fault = batch_fault(*received, session_->version())) {
    return outlet_->send(to_text(rpc_failure(std::nullopt, fault->code, fault->message)));
  }
  take_batch(*std::move(received), *session_, outlet_, /*streams=*/false);
}

}  // namespace deft
