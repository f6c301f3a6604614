#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "deft/os/processes.h"

namespace deft::testing {

// One command's life, as told in advance.
struct CommandScript {
  enum class Life {
    ends,            // says its output and ends with `end`
    until_stopped,   // runs until a cancel, an abort or end()
    until_deadline,  // runs until its deadline, which comes at once: time is not real here
  };
  std::vector<std::string> output{};  // the sink gets it in these pieces
  std::vector<std::string> errors{};
  Result<CommandEnd> end = CommandEnd{};  // or why it never ran
  Life life = Life::ends;
  // start(): what a server says to each piece that is written to it.
  std::function<std::string(std::string_view)> answer{};
};

// Commands without processes: each is looked up by its words and lives as its script says. Any thread may call.
class FakeProcesses final : public Processes {
 public:
  // A command whose words, joined by spaces, hold `part` lives so. Of several scripts for it each is used once, in
  // order, and the last one for ever. A command without a script is an error, `not_found`.
  void add(std::string part, CommandScript script);
  // Everything that was run or started, in order.
  std::vector<Command> commands() const;

  Result<CommandEnd> run(const Command& command, const OutputSink& on_output, const RunUntil& until) override;
  Result<std::unique_ptr<Child>> start(const Command& command, std::stop_token stop) override;

 private:
  Result<CommandScript> take(const Command& command);

  struct Scripts {
    std::string part;
    std::deque<CommandScript> scripts;
  };
  mutable std::mutex mutex_;
  std::vector<Scripts> scripts_;   // under mutex_
  std::vector<Command> commands_;  // under mutex_
};

}  // namespace deft::testing
