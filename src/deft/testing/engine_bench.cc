#include "deft/testing/engine_bench.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "deft/base/check.h"

namespace deft {

void RecordingFrontend::show(Event event) {
  if (when_shown) when_shown(event);
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  changed_.notify_all();
}

std::vector<Event> RecordingFrontend::events() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

EngineBench::EngineBench() : EngineBench(Options{}) {}

EngineBench::EngineBench(Options options) : options_(std::move(options)) {}

EngineBench::~EngineBench() {
  if (turn_.joinable()) finish();
}

Engine& EngineBench::engine() {
  if (!engine_) {
    auto opened = Engine::open({.working_directory = folder.path(),
                                .session_folder = folder.path() + "/session",
                                .rules = options_.rules,
                                .mode = options_.mode,
                                .executor = options_.executor,
                                .hooks = &hooks,
                                .store = store,
                                .clock = options_.clock,
                                .classifier = options_.classifier,
                                .opinion_patience = {},
                                .prompts = options_.prompts},
                               frontend);
    DEFT_CHECK(opened.has_value());
    engine_ = std::move(*opened);
  }
  return *engine_;
}

void EngineBench::add_tool(LambdaTool::Parts parts) {
  if (parts.spec.input_schema.is_null()) parts.spec.input_schema = any_object_schema();
  add_tool(std::make_shared<LambdaTool>(std::move(parts)));
}

void EngineBench::add_tool(std::shared_ptr<Tool> tool) { DEFT_CHECK(engine().add_tool(std::move(tool)).has_value()); }

void EngineBench::feed(Feed item) {
  engine().feed(std::move(item));
  if (!turn_.joinable()) turn_ = std::thread([this] { summary_ = engine_->run(); });
}

void EngineBench::call(std::string id, std::string tool, Json input) {
  std::string text = to_json(input);
  feed(Feed(CallArrived{
      {.id = std::move(id), .name = std::move(tool), .input = std::move(input), .input_text = std::move(text)}}));
}

ExecutorSummary EngineBench::finish() {
  feed(Feed(InputEnded{}));
  turn_.join();
  return summary_;
}

std::string EngineBench::journal_text() const {
  std::ifstream file(folder.path() + "/session/journal.jsonl");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace deft
