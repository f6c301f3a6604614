#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "deft/agent/project_memory.h"

namespace deft {

// The memory that a session comes upon: that of folders below its own, and rules about certain files. The model is told
// it with the first file that it reads there. What the session began with need not be looked for twice: begin_with().
// Used from any thread.
class FoundMemory {
 public:
  FoundMemory(MemoryRequest request, Files& files) : request_(std::move(request)), files_(files) {}

  void begin_with(ProjectMemory memory);
  // What there is to say now that the file of this canonical path was read, for the model; each once.
  std::vector<std::string> after_reading(const std::string& path);
  // The model has forgotten what it was told: it may be told again.
  void forget();

 private:
  const MemoryRequest request_;
  Files& files_;
  std::mutex mutex_;
  std::optional<ProjectMemory> memory_;  // under mutex_
};

}  // namespace deft
