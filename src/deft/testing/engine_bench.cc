#include "deft/testing/engine_bench.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "deft/base/check.h"

namespace deft {

void RecordingFrontend::show(Event event) {
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

EngineBench::EngineBench(Options options) : options_(std::move(options)), results_(folder.path() + "/session") {
  session.working_directory = folder.path();
  session.directories = {folder.path()};
}

EngineBench::~EngineBench() {
  if (turn_.joinable()) finish();
}

void EngineBench::add_tool(LambdaTool::Parts parts) {
  if (parts.spec.input_schema.is_null()) parts.spec.input_schema = any_object_schema();
  const auto added = registry_.add(std::make_shared<LambdaTool>(std::move(parts)));
  DEFT_CHECK(added.has_value());
}

void EngineBench::start() {
  auto journal = Journal::open(folder.path() + "/session", clock_);
  DEFT_CHECK(journal.has_value());
  journal_.emplace(std::move(*journal));
  pipeline_.emplace(CallPipeline::Parts{.os = {files_, processes_, clock_},
                                        .hooks = hooks,
                                        .journal = *journal_,
                                        .results = results_,
                                        .frontend = frontend,
                                        .session_folder = folder.path() + "/session"});
  executor_.emplace(Executor::Parts{.pipeline = *pipeline_,
                                    .runner = runner_,
                                    .frontend = frontend,
                                    .clock = clock_,
                                    .registry = registry_,
                                    .session = session,
                                    .permissions = std::make_shared<const Permissions>(options_.rules, options_.mode,
                                                                                       session.directories)},
                    options_.executor);
  turn_ = std::thread([this] { summary_ = executor_->run(); });
}

void EngineBench::feed(Feed item) {
  if (!executor_) start();
  executor_->feed(std::move(item));
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
