#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "deft/model/model.h"
#include "deft/model/model_transfers.h"
#include "deft/model/raw_event_writer.h"
#include "deft/model/stream_decoder.h"
#include "deft/os/http_client.h"

namespace deft {

// What a server answers to one request, told as model events: to the sink, until it is muted or the answer is told to
// its end. All but mute() and the questions happen on the HTTP client's thread.
class ModelAnswer final : public HttpReceiver {
 public:
  struct Parts {
    ModelClient::Sink sink;
    const Clock& clock;
    std::shared_ptr<Credentials> credentials;
    std::vector<std::string> secrets;
    bool raw_events;
    std::shared_ptr<const OfferedNames> names;
    std::function<void(const HttpHead&, ModelFailure&)> amend;
  };
  explicit ModelAnswer(Parts parts);

  void began(HttpHead head) override;
  void received(std::string_view bytes) override;
  void ended(Result<void> result) override;

  // Before or instead of an answer.
  void fail(ModelFailure failure, Message message = {});
  // Nothing more comes to the sink once this has returned.
  void mute();
  bool is_complete() const { return complete_; }  // ended in a MessageDone
  bool has_ended() const { return ended_; }

 private:
  enum class Shape : std::uint8_t {
    undecided,
    events,
    body,   // one JSON value
    error,  // the body of an answer that is none
  };

  void decide(std::string_view bytes);
  void read_events();
  void read_body();
  void tell(std::vector<StreamEvent> events);
  void tell(ModelEvent event);
  void tell_raw(const StreamEvent& event, const MessageHead& head);
  void finish(MessageDone done);
  void fail(MessageFailed failed);
  void fail_misunderstood(std::string_view beginning);
  void restore_name(ToolCall& call) const;
  void restore_names(Message& message) const;

  const Clock& clock_;
  const std::shared_ptr<Credentials> credentials_;
  const std::vector<std::string> secrets_;
  const bool raw_events_;
  const std::shared_ptr<const OfferedNames> names_;
  const std::function<void(const HttpHead&, ModelFailure&)> amend_;

  HttpHead head_;
  Shape shape_ = Shape::undecided;
  std::string body_;
  StreamDecoder decoder_;
  RawEventWriter raw_writer_;  // where the provider's own events are not Anthropic's
  bool told_ = false;          // to its end

  std::mutex mutex_;
  ModelClient::Sink sink_;  // under mutex_
  std::atomic<bool> complete_ = false;
  std::atomic<bool> ended_ = false;
};

}  // namespace deft
