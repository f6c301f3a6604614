#include "deft/testing/fake_model.h"

#include <utility>

namespace deft {

Block text_of_model(std::string text) { return TextBlock{std::move(text), {}}; }

Block call_of_model(std::string id, std::string tool, Json input) {
  std::string text = to_json(input);
  return ToolUseBlock{
      {.id = std::move(id), .name = std::move(tool), .input = std::move(input), .input_text = std::move(text)}, {}};
}

Block broken_call_of_model(std::string id, std::string tool, std::string input_text) {
  return ToolUseBlock{{.id = std::move(id),
                       .name = std::move(tool),
                       .input = nullptr,
                       .input_text = std::move(input_text),
                       .invalid = "the input is not usable JSON"},
                      {}};
}

std::vector<ModelEvent> stream_of(Message message) {
  std::vector<ModelEvent> events{ModelBegan{"request"}};
  std::vector<Block> before;
  for (const Block& block : message.blocks) {
    if (const auto* use = std::get_if<ToolUseBlock>(&block)) {
      events.emplace_back(CallReady{use->call, std::exchange(before, {}), head_of(message), use->extra});
      continue;
    }
    if (const auto* text = std::get_if<TextBlock>(&block)) {
      const std::size_t half = text->text.size() / 2;
      events.emplace_back(TextDelta{text->text.substr(0, half)});
      events.emplace_back(TextDelta{text->text.substr(half)});
    }
    if (const auto* thinking = std::get_if<ThinkingBlock>(&block)) {
      events.emplace_back(ThinkingDelta{thinking->thinking});
    }
    before.push_back(block);
  }
  events.emplace_back(MessageDone{std::move(message)});
  return events;
}

std::vector<ModelEvent> stream_of(std::vector<Block> blocks, std::string stop_reason) {
  const bool calls =
      std::ranges::any_of(blocks, [](const Block& b) { return std::holds_alternative<ToolUseBlock>(b); });
  if (stop_reason.empty()) stop_reason = calls ? "tool_use" : "end_turn";
  return stream_of(Message{.id = "msg",
                           .model = "fake",
                           .blocks = std::move(blocks),
                           .stop_reason = std::move(stop_reason),
                           .usage = JsonObject{{"input_tokens", 100}, {"output_tokens", 10}}});
}

std::vector<ModelEvent> broken_stream_of(std::vector<Block> blocks, std::size_t count) {
  std::vector<ModelEvent> events = stream_of(std::move(blocks));
  if (count >= events.size()) count = events.size() - 1;
  events.resize(count);
  Message come;
  for (const ModelEvent& event : events) {
    if (const auto* text = std::get_if<TextDelta>(&event)) come.blocks.emplace_back(TextBlock{text->text, {}});
    if (const auto* ready = std::get_if<CallReady>(&event)) come.blocks.emplace_back(ToolUseBlock{ready->call, {}});
  }
  events.emplace_back(ModelFailed{
      {.kind = ModelFailure::Kind::stream_broken, .status = 200, .message = "the connection broke"}, std::move(come)});
  return events;
}

ModelFailed failure_of(ModelFailure failure) { return {std::move(failure), {}}; }

class FakeModel::OpenCall final : public ModelCall {
 public:
  OpenCall(FakeModel& model, std::size_t number) : model_(model), number_(number) {}
  ~OpenCall() override {
    const std::lock_guard lock(model_.mutex_);
    if (model_.open_ == number_) model_.sink_ = nullptr;
  }

 private:
  FakeModel& model_;
  std::size_t number_;
};

void FakeModel::will(std::vector<ModelEvent> events) {
  const std::lock_guard lock(mutex_);
  scripts_.push_back(std::move(events));
}

void FakeModel::say(ModelEvent event) {
  const std::lock_guard lock(mutex_);
  if (sink_) sink_(std::move(event));
}

bool FakeModel::is_open() const {
  const std::lock_guard lock(mutex_);
  return sink_ != nullptr;
}

std::vector<ModelRequest> FakeModel::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::unique_ptr<ModelCall> FakeModel::ask(const ModelRequest& request, Sink sink) {
  if (when_asked) when_asked();
  const std::lock_guard lock(mutex_);
  requests_.push_back(request);
  std::vector<ModelEvent> events;
  if (answer) {
    events = answer(request);
  } else if (!scripts_.empty()) {
    events = std::move(scripts_.front());
    scripts_.pop_front();
  } else {
    events.emplace_back(failure_of({.kind = ModelFailure::Kind::unusable, .message = "the script has ended"}));
  }
  sink_ = sink;
  for (ModelEvent& event : events) sink(std::move(event));
  open_ = requests_.size();
  return std::make_unique<OpenCall>(*this, open_);
}

}  // namespace deft
