#include "deft/mcp/transport.h"

#include <utility>

#include "deft/mcp/message_scan.h"

namespace deft {
namespace {

// Revisions with batches know no limit for them.
constexpr std::size_t kBatchMessagesMax = 10'000;

std::string unreadable(const std::string& why) { return "the answer cannot be read: " + why; }

void hand_on(Json value, McpReceiver& receiver) {
  const bool has_method = find(value, "method") != nullptr;
  auto message = read_rpc(std::move(value));
  if (message) return receiver.received(*std::move(message));
  const RpcFault& fault = message.error();
  receiver.garbled(fault.message);
  if (fault.id && !has_method) receiver.lost(*fault.id, {.code = Errc::failed, .message = unreadable(fault.message)});
}

// If it was meant to be an answer, whoever waits for it need not wait any longer.
void refuse(std::string_view text, const std::string& why, McpReceiver& receiver) {
  receiver.garbled(why);
  const MessageScan scan = scan_message(text);
  if (!scan.id || scan.has_method) return;
  receiver.lost(*scan.id, {.code = Errc::failed, .message = unreadable(why)});
}

}  // namespace

void hand_on(std::string_view text, McpReceiver& receiver) {
  if (!is_surely_little(text) && scan_message(text).is_too_much()) {
    return refuse(text, "it has more than " + std::to_string(kMcpMessageValuesMax) + " values", receiver);
  }
  auto value = parse_json(text, {.bytes_max = kMcpMessageBytesMax, .replace_lone_surrogates = true});
  if (!value) return refuse(text, std::move(value.error().message), receiver);
  JsonArray* batch = value->if_array();
  if (batch == nullptr) return hand_on(*std::move(value), receiver);
  if (batch->size() > kBatchMessagesMax) {
    return receiver.garbled("a list of more than " + std::to_string(kBatchMessagesMax) + " messages");
  }
  for (Json& element : *batch) hand_on(std::move(element), receiver);
}

}  // namespace deft
