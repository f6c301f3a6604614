#pragma once

#include <memory>
#include <string>
#include <vector>

#include "deft/agent/agent.h"
#include "deft/testing/engine_bench.h"
#include "deft/testing/fake_model.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/virtual_clock.h"

namespace deft {

// An agent on a temporary folder: a scripted model, tools that the test makes, real threads and files, virtual time.
class AgentBench {
 public:
  explicit AgentBench(AgentOptions options = {});

  void add_tool(LambdaTool::Parts parts);
  void add_tool(std::shared_ptr<Tool> tool);
  // A tool that says `text` and counts how often; "effect" ones count as having an effect.
  void add_reader(std::string name, std::string text = "read");
  void add_effect(std::string name);
  TurnEnd turn(std::string_view prompt) { return agent().run_turn(Prompt::of(prompt)); }
  Agent& agent();
  void reopen() { agent_.reset(); }  // the next use finds the session on the disk

  const History& history() { return agent().history(); }
  std::string journal_text() const;

  TempFolder folder;
  VirtualClock clock;
  RecordingFrontend frontend;
  FakeModel model;
  LambdaHooks hooks;
  AgentOptions options;
  std::vector<std::string> effects;  // of calls, in their order; not while a turn runs

 private:
  std::vector<std::shared_ptr<Tool>> tools_;
  std::unique_ptr<Agent> agent_;
  std::mutex mutex_;
};

}  // namespace deft
