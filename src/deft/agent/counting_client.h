#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "deft/model/model.h"

namespace deft {

// A client for questions beside the conversation (a page, a hook, a call to be judged): what they cost is told before
// whoever asked hears the answer, so that it is counted when that has an effect.
class CountingClient final : public ModelClient {
 public:
  // From any thread; does not wait.
  using Count = std::function<void(const std::string& model, const Json& usage)>;
  CountingClient(ModelClient& client, Count count) : client_(client), count_(std::move(count)) {}

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, Sink sink) override {
    return client_.ask(request, [count = count_, model = request.model, sink = std::move(sink)](ModelEvent event) {
      if (const auto* done = std::get_if<MessageDone>(&event)) count(model, done->message.usage);
      sink(std::move(event));
    });
  }
  void prepare() override { client_.prepare(); }
  std::string_view name() const override { return client_.name(); }

 private:
  ModelClient& client_;
  const Count count_;
};

}  // namespace deft
