#include "deft/mcp/host_transport.h"

#include <utility>

namespace deft {

struct HostTransport::Shared {
  std::mutex mutex;
  std::shared_ptr<McpReceiver> receiver;  // under mutex; null after close()

  std::shared_ptr<McpReceiver> listener() {
    const std::lock_guard lock(mutex);
    return receiver;
  }
};

HostTransport::HostTransport(HandOver hand_over)
    : hand_over_(std::move(hand_over)), shared_(std::make_shared<Shared>()) {}

HostTransport::~HostTransport() { close(); }

Result<void> HostTransport::start(std::shared_ptr<McpReceiver> receiver, std::stop_token) {
  const std::lock_guard lock(shared_->mutex);
  shared_->receiver = std::move(receiver);
  return {};
}

void HostTransport::send(RpcMessage message, HttpHeaders) {
  if (!shared_->listener()) return;
  const auto* request = std::get_if<RpcRequest>(&message);
  std::optional<RpcId> id = request ? std::optional(request->id) : std::nullopt;
  hand_over_(to_value(message), [shared = shared_, id = std::move(id)](Result<Json> answer) {
    const auto receiver = shared->listener();
    if (!receiver || !id) return;  // a notification has no answer, whatever the host makes of it
    if (!answer)
      return receiver->lost(*id, {.code = answer.error().code, .message = std::move(answer.error().message)});
    auto read = read_rpc(*std::move(answer));
    const auto* response = read ? std::get_if<RpcResponse>(&*read) : nullptr;
    if (response != nullptr && response->id == id) return receiver->received(*std::move(read));
    receiver->lost(*id, {.code = Errc::failed, .message = "the host's answer is not one to this request"});
  });
}

std::function<void(Json message)> HostTransport::door() const {
  return [shared = shared_](Json message) {
    const auto receiver = shared->listener();
    if (!receiver) return;
    if (auto read = read_rpc(std::move(message))) receiver->received(*std::move(read));
  };
}

void HostTransport::close() {
  const std::lock_guard lock(shared_->mutex);
  shared_->receiver = nullptr;
}

}  // namespace deft
