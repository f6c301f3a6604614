#include "deft/mcp/server_batch.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "deft/mcp/message_scan.h"

namespace deft {
namespace {

constexpr std::string_view kLastWithBatches = "2025-03-26";

bool expects_answer(const McpReceived::Message& message) {
  return !message || std::holds_alternative<RpcRequest>(*message);
}

// Where the answers to all requests of a batch meet.
class Batch {
 public:
  Batch(std::shared_ptr<McpOutlet> outlet, std::size_t awaited, bool streams)
      : outlet_(std::move(outlet)), streams_(streams), awaited_(awaited) {}

  void send(std::string message) { outlet_->send(std::move(message)); }
  void let_go() { outlet_->let_go(); }

  // One of them was answered; or, with nothing, taken back.
  void settle(std::optional<std::string> answer) {
    if (answer && streams_) outlet_->send(*std::exchange(answer, std::nullopt));
    std::string all;
    {
      const std::lock_guard lock(mutex_);
      if (answer) answers_ += (answers_.empty() ? "" : ",") + *answer;
      if (--awaited_ > 0) return;
      all = std::move(answers_);
    }
    if (all.empty()) return outlet_->abandon();
    outlet_->finish("[" + all + "]", std::nullopt, false);
  }

 private:
  const std::shared_ptr<McpOutlet> outlet_;
  const bool streams_;
  std::mutex mutex_;
  std::string answers_;  // this and all below under mutex_
  std::size_t awaited_;
};

// Of one request of a batch.
class BatchedOutlet final : public McpOutlet {
 public:
  explicit BatchedOutlet(std::shared_ptr<Batch> batch) : batch_(std::move(batch)) {}
  void send(std::string message) override { batch_->send(std::move(message)); }
  void finish(std::string message, std::optional<std::int64_t>, bool) override { batch_->settle(std::move(message)); }
  void abandon() override { batch_->settle(std::nullopt); }
  void let_go() override { batch_->let_go(); }

 private:
  const std::shared_ptr<Batch> batch_;
};

}  // namespace

std::size_t McpReceived::answers() const {
  return static_cast<std::size_t>(std::ranges::count_if(messages, expects_answer));
}

std::expected<McpReceived, RpcFault> read_mcp_messages(std::string_view text) {
  if (!is_surely_little(text)) {
    MessageScan scan = scan_message(text);
    if (scan.is_too_much()) {
      return std::unexpected(
          RpcFault{.message = "a message may have " + std::to_string(kMcpMessageValuesMax) + " values",
                   .id = std::move(scan.id)});
    }
  }
  auto value = parse_json(text);
  if (!value) return std::unexpected(RpcFault{.code = kRpcParseError, .message = std::move(value.error().message)});
  McpReceived out;
  JsonArray* list = value->if_array();
  if (list == nullptr) {
    auto message = read_rpc(*std::move(value));
    if (!message) return std::unexpected(std::move(message.error()));
    out.messages.push_back(*std::move(message));
    return out;
  }
  if (list->empty() || list->size() > kMcpBatchMessagesMax) {
    return std::unexpected(
        RpcFault{.message = "a batch has 1 to " + std::to_string(kMcpBatchMessagesMax) + " messages"});
  }
  out.is_batch = true;
  for (Json& element : *list) out.messages.push_back(read_rpc(std::move(element)));
  return out;
}

std::optional<RpcError> batch_fault(const McpReceived& batch, std::string_view version) {
  if (version.empty() || version > kLastWithBatches) {
    return RpcError{kRpcInvalidRequest, "batches are part of revision " + std::string(kLastWithBatches) +
                                            " and those before it: send one message at a time"};
  }
  const bool begins = std::ranges::any_of(batch.messages, [](const McpReceived::Message& message) {
    const auto* request = message ? std::get_if<RpcRequest>(&*message) : nullptr;
    return request != nullptr && request->method == "initialize";
  });
  if (begins) return RpcError{kRpcInvalidRequest, "initialize may not be part of a batch"};
  return std::nullopt;
}

void take_batch(McpReceived received, McpClientSession& session, const std::shared_ptr<McpOutlet>& outlet,
                bool streams) {
  const std::size_t answers = received.answers();
  const auto batch = answers == 0 ? nullptr : std::make_shared<Batch>(outlet, answers, streams);
  for (McpReceived::Message& message : received.messages) {
    if (!message) {
      const RpcFault& fault = message.error();
      batch->settle(to_text(rpc_failure(fault.id, fault.code, fault.message)));
      continue;
    }
    const bool is_request = std::holds_alternative<RpcRequest>(*message);
    session.take(*std::move(message), is_request ? std::make_shared<BatchedOutlet>(batch) : nullptr);
  }
}

}  // namespace deft
