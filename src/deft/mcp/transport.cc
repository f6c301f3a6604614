#include "deft/mcp/transport.h"

#include <utility>

namespace deft {
namespace {

// Revisions with batches know no limit for them.
constexpr std::size_t kBatchMessagesMax = 10'000;

void hand_on(Json value, McpReceiver& receiver) {
  auto message = read_rpc(std::move(value));
  if (message) {
    receiver.received(*std::move(message));
  } else {
    receiver.garbled(std::move(message.error().message));
  }
}

}  // namespace

void hand_on(std::string_view text, McpReceiver& receiver) {
  auto value = parse_json(text, {.bytes_max = kMcpMessageBytesMax, .replace_lone_surrogates = true});
  if (!value) return receiver.garbled(std::move(value.error().message));
  JsonArray* batch = value->if_array();
  if (batch == nullptr) return hand_on(*std::move(value), receiver);
  if (batch->size() > kBatchMessagesMax) {
    return receiver.garbled("a list of more than " + std::to_string(kBatchMessagesMax) + " messages");
  }
  for (Json& element : *batch) hand_on(std::move(element), receiver);
}

}  // namespace deft
