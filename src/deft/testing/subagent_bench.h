#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "deft/agent/subagents.h"
#include "deft/testing/agent_bench.h"

namespace deft {

inline bool is_main(const ModelRequest& request) { return request.system.empty(); }
inline bool has_results(const ModelRequest& request) {
  return request.history->back().content.find("tool_result") != std::string::npos;
}
inline std::string last_words(const ModelRequest& request) { return request.history->back().content; }

inline Json task(std::string prompt, JsonObject more = {}) {
  more["description"] = "a task";
  more["prompt"] = std::move(prompt);
  return more;
}

// A main agent that may have others. It has no system prompt, its subagents have that of their type: that is how the
// scripted model knows who asks.
class SubagentsTest : public ::testing::Test {
 protected:
  ~SubagentsTest() override { bench.reopen(); }  // the agent goes first

  void open() {
    bench.options.children = nullptr;
    bench.reopen();
    subagents.reset();
    subagent_options.tasks = tasks;
    subagents = std::make_unique<Subagents>(subagent_options, bench.model, bench.frontend);
    bench.options.children = &subagents->of_main();
    ASSERT_TRUE(subagents->attach(bench.agent()));
  }
  // The main agent makes one message of these calls, and then says "done".
  void main_calls(std::vector<Json> inputs) {
    main_calls_ = std::move(inputs);
    bench.model.answer = [this](const ModelRequest& request) {
      if (!is_main(request)) return child ? child(request) : stream_of({text_of_model("the report")});
      if (has_results(request)) return stream_of({text_of_model("done")});
      std::vector<Block> calls;
      for (const Json& input : main_calls_) {
        calls.push_back(call_of_model("call" + std::to_string(++calls_made_), "Agent", input));
      }
      return stream_of(std::move(calls));
    };
  }
  TurnEnd delegate(Json input) {
    main_calls({std::move(input)});
    return bench.turn("go");
  }
  ToolResult answer() {
    for (const CallAnswered& answered : bench.frontend.all<CallAnswered>()) {
      if (answered.tool == "Agent") last_ = answered.result;
    }
    return last_;
  }
  std::string agent_id() { return std::string(find_string(answer().details, "agentId").value_or("")); }
  std::vector<ModelRequest> child_requests() {
    std::vector<ModelRequest> requests;
    for (ModelRequest& request : bench.model.requests()) {
      if (!is_main(request)) requests.push_back(std::move(request));
    }
    return requests;
  }
  template <class Kind>
  std::vector<Kind> of_children() {
    std::vector<Kind> found;
    for (const SubagentEvent& event : bench.frontend.all<SubagentEvent>()) {
      if (const auto* kind = std::get_if<Kind>(&event.what->event)) found.push_back(*kind);
    }
    return found;
  }

  AgentBench bench;
  SubagentOptions subagent_options;
  std::shared_ptr<BackgroundTasks> tasks = std::make_shared<BackgroundTasks>();
  std::unique_ptr<Subagents> subagents;
  std::function<std::vector<ModelEvent>(const ModelRequest&)> child;

 private:
  std::vector<Json> main_calls_;
  std::size_t calls_made_ = 0;
  ToolResult last_;
};

}  // namespace deft
