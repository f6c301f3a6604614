#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/testing/http_peer.h"

namespace deft::testing {

// Messages as Anthropic's API streams them.
std::string anthropic_text(std::string_view text, const JsonObject& usage = {});
struct StreamedCall {
  std::string id;
  std::string tool;
  JsonObject input;
};
std::string anthropic_calls(const std::vector<StreamedCall>& calls, std::string_view text = {},
                            const JsonObject& usage = {});
// Blocks that come whole, as those of the provider's own tools do, and then a text.
std::string anthropic_blocks(const std::vector<JsonObject>& blocks, std::string_view text);
// The same by OpenAI's chat completions.
std::string chat_text(std::string_view text);
std::string chat_calls(const std::vector<StreamedCall>& calls);

// A model on loopback: the n-th request gets the n-th answer, all later ones the last.
class ModelPeer {
 public:
  using Answer = std::function<void(const PeerRequest&, PeerAnswer&)>;
  explicit ModelPeer(std::vector<Answer> answers);
  // Each streamed as it is.
  explicit ModelPeer(const std::vector<std::string>& streams);

  static Answer streams(std::string events);
  static Answer fails(int status, std::string body, HttpHeaders headers = {});

  std::string url() const { return peer_.url(""); }
  // The bodies of all requests so far.
  std::vector<Json> bodies() const;
  std::size_t requests() const { return peer_.requests().size(); }
  HttpPeer& peer() { return peer_; }

 private:
  std::vector<Answer> answers_;
  std::atomic<std::size_t> served_ = 0;
  HttpPeer peer_;
};

}  // namespace deft::testing
