#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "deft/model/model.h"

namespace deft {

Block text_of_model(std::string text);
Block call_of_model(std::string id, std::string tool, Json input = JsonObject());
Block broken_call_of_model(std::string id, std::string tool, std::string input_text);

// The events that a stream of this message gives, to its end.
std::vector<ModelEvent> stream_of(Message message);
std::vector<ModelEvent> stream_of(std::vector<Block> blocks, std::string stop_reason = {});
// The same stream, broken after `count` of its events.
std::vector<ModelEvent> broken_stream_of(std::vector<Block> blocks, std::size_t count);
ModelFailed failure_of(ModelFailure failure);

// A model that says what the test wrote down for it, one script for each request, all of it at once. A script that does
// not end leaves the request open; what comes later is said by the test with `say`.
class FakeModel final : public ModelClient {
 public:
  void will(std::vector<ModelEvent> events);
  void will_answer(std::vector<Block> blocks, std::string stop_reason = {}) {
    will(stream_of(std::move(blocks), std::move(stop_reason)));
  }
  // Instead of scripts: what to say to a request.
  std::function<std::vector<ModelEvent>(const ModelRequest&)> answer = nullptr;
  std::function<void()> when_asked = nullptr;  // before the events

  void say(ModelEvent event);  // to the request that is open
  bool is_open() const;
  std::vector<ModelRequest> requests() const;

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, Sink sink) override;
  std::string_view name() const override { return "fake"; }

 private:
  class OpenCall;
  mutable std::mutex mutex_;
  std::deque<std::vector<ModelEvent>> scripts_;
  std::vector<ModelRequest> requests_;
  std::size_t open_ = 0;  // number of the request
  Sink sink_;
};

}  // namespace deft
