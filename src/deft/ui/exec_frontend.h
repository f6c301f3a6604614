#pragma once

#include "deft/agent/event.h"
#include "deft/ui/line_writer.h"
#include "deft/ui/terminal_asker.h"

namespace deft {

// Events as lines of JSON on standard output. docs/exec.md describes each.
class ExecFrontend final : public Frontend {
 public:
  // With `terminal`, questions go there instead.
  ExecFrontend(LineWriter& writer, bool all_events, TerminalAsker* terminal = nullptr)
      : writer_(writer), all_events_(all_events), terminal_(terminal) {}
  void show(Event event) override;
  bool wants_stages() const override { return all_events_; }

 private:
  LineWriter& writer_;
  const bool all_events_;
  TerminalAsker* const terminal_;
};

// {"type":"tool_result",…} as one line.
std::string result_line(const CallAnswered& answered);

}  // namespace deft
