#include "deft/testing/agent_bench.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "deft/base/check.h"

namespace deft {

AgentBench::AgentBench(AgentOptions given) : options(std::move(given)) {
  options.engine.working_directory = folder.path();
  options.engine.session_folder = folder.path() + "/session";
  options.engine.mode = Mode::bypass;
  options.engine.clock = &clock;
  options.engine.hooks = &hooks;
  if (options.model.empty()) options.model = "fake";
}

Agent& AgentBench::agent() {
  if (!agent_) {
    auto opened = Agent::open(options, model, frontend);
    DEFT_CHECK(opened.has_value());
    agent_ = std::move(*opened);
    for (const auto& tool : tools_) DEFT_CHECK(agent_->add_tool(tool).has_value());
  }
  return *agent_;
}

void AgentBench::add_tool(LambdaTool::Parts parts) {
  if (parts.spec.input_schema.is_null()) parts.spec.input_schema = any_object_schema();
  add_tool(std::make_shared<LambdaTool>(std::move(parts)));
}

void AgentBench::add_tool(std::shared_ptr<Tool> tool) {
  tools_.push_back(tool);
  if (agent_) DEFT_CHECK(agent_->add_tool(std::move(tool)).has_value());
}

void AgentBench::add_reader(std::string name, std::string text) {
  add_tool(
      {.spec = {.name = std::move(name)},
       .run = [text = std::move(text)](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = text}; },
       .is_read_only = [](const Json&) { return true; }});
}

void AgentBench::add_effect(std::string name) {
  add_tool({.spec = {.name = name}, .run = [this, name](const Json& input, ToolIo&) -> Result<ToolResult> {
              const std::lock_guard lock(mutex_);
              effects.emplace_back(find_string(input, "what").value_or(name));
              return ToolResult{.text = "done"};
            }});
}

std::string AgentBench::journal_text() const {
  std::ifstream file(folder.path() + "/session/journal.jsonl");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace deft
