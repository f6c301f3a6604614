#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "deft/base/clock.h"
#include "deft/model/model.h"
#include "deft/model/script.h"

namespace deft {

// A model that says what a file says: for demonstrations and tests, without a network. Texts come word by word, calls
// when it is their turn, delays are real. Every request of every agent that shares the client takes the next answer
// that fits it.
class ScriptedClient final : public ModelClient {
 public:
  explicit ScriptedClient(Script script) : script_(std::move(script)) {}
  static Result<std::unique_ptr<ScriptedClient>> open(const std::string& path);

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, Sink sink) override;
  std::string_view name() const override { return "scripted"; }

 private:
  std::mutex mutex_;
  Script script_;             // under mutex_
  std::size_t requests_ = 0;  // under mutex_
};

}  // namespace deft
