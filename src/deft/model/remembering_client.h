#pragma once

#include <memory>
#include <mutex>

#include "deft/model/model.h"

namespace deft {

// A client that remembers the conversation of the last request that went through it, for others who are asked about it
// meanwhile. Any thread may ask for it.
class RememberingClient final : public ModelClient {
 public:
  explicit RememberingClient(ModelClient& client) : client_(client) {}

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, Sink sink) override {
    {
      const std::lock_guard lock(mutex_);
      history_ = request.history;
    }
    return client_.ask(request, std::move(sink));
  }
  void prepare() override { client_.prepare(); }
  std::string_view name() const override { return client_.name(); }

  // Null: nothing was asked yet.
  std::shared_ptr<const History> history() const {
    const std::lock_guard lock(mutex_);
    return history_;
  }

 private:
  ModelClient& client_;
  mutable std::mutex mutex_;
  std::shared_ptr<const History> history_;  // under mutex_
};

}  // namespace deft
