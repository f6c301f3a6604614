#pragma once

#include "deft/agent/event.h"
#include "deft/ui/line_writer.h"

namespace deft {

// Events as lines of JSON on standard output. docs/exec.md describes each.
class ExecFrontend final : public Frontend {
 public:
  ExecFrontend(LineWriter& writer, bool all_events) : writer_(writer), all_events_(all_events) {}
  void show(Event event) override;
  bool wants_stages() const override { return all_events_; }

 private:
  LineWriter& writer_;
  const bool all_events_;
};

// {"type":"tool_result",…} as one line.
std::string result_line(const CallAnswered& answered);

}  // namespace deft
