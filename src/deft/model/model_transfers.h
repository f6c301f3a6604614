#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "deft/base/clock.h"
#include "deft/model/model.h"
#include "deft/model/model_endpoint.h"
#include "deft/os/http_client.h"

namespace deft {

inline constexpr std::size_t kModelBodyBytesMax = std::size_t{64} << 20;
inline constexpr std::size_t kErrorBodyBytesMax = std::size_t{64} << 10;
inline constexpr Duration kLingerMax = std::chrono::seconds(2);

// Names under which tools were offered, where those are not the tools' own; to the tools' own.
using OfferedNames = std::unordered_map<std::string, std::string>;

// One request of a model client as it goes over the wire.
struct ModelTransferPlan {
  std::string url;
  HttpHeaders headers;  // of the API
  std::string body;
  bool stream = true;
  bool raw_events = false;
  bool pumped_by_caller = false;
  std::shared_ptr<const OfferedNames> names = nullptr;
  // A last word of the API's own on a failure.
  std::function<void(const HttpHead&, ModelFailure&)> amend = nullptr;
};

// Requests to models over HTTP, whichever API they speak: what is sent is the client's, what comes back is told here.
// Streams, whole bodies and errors are recognised by what they are; the content type is believed only where it fits.
class ModelTransfers {
 public:
  ModelTransfers(HttpClient& http, const Clock& clock, ModelEndpoint endpoint);
  ~ModelTransfers();

  const ModelEndpoint& endpoint() const { return endpoint_; }
  std::unique_ptr<ModelCall> start(ModelTransferPlan plan, ModelClient::Sink sink);
  void prepare(const std::string& url) { http_.connect_ahead(url); }

  // Answers with a failure that needs no server.
  static std::unique_ptr<ModelCall> refuse(ModelFailure failure, const ModelClient::Sink& sink);

 private:
  class Call;
  struct Lingering {
    std::unique_ptr<HttpTransfer> transfer;
    TimePoint since;
  };
  void linger(std::unique_ptr<HttpTransfer> transfer);
  void sweep();

  HttpClient& http_;
  const Clock& clock_;
  const ModelEndpoint endpoint_;
  std::mutex mutex_;
  // A message may be complete before its answer's last byte. To wait for that keeps the connection for the next one.
  std::vector<Lingering> lingering_;  // under mutex_
};

}  // namespace deft
