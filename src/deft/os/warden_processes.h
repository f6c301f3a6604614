#pragma once

#include <memory>

#include "deft/os/processes.h"

namespace deft {

class WardenLink;

// Real processes, through this process's warden (src/warden/main.cc says what that is). One object for the whole
// program; the warden starts with the first command and ends with this object, and everything that it owns with it.
class WardenProcesses final : public Processes {
 public:
  explicit WardenProcesses(const Clock& clock);
  ~WardenProcesses() override;

  // Starts the warden ahead of the first command, which then finds it there.
  void prepare();
  Result<CommandEnd> run(const Command& command, const OutputSink& on_output, const RunUntil& until) override;
  Result<std::unique_ptr<Child>> start(const Command& command, std::stop_token stop) override;

 private:
  const Clock& clock_;
  std::unique_ptr<WardenLink> link_;
};

}  // namespace deft
