#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/clock.h"
#include "deft/os/git_state.h"

namespace deft {

// Where a session works, as the model is told it once: it stays as it was when the session began, byte for byte, so
// that the provider's cache holds.
struct SystemPromptInput {
  std::string directory;
  std::vector<std::string> directories = {};  // further ones
  std::optional<GitState> git = std::nullopt;
  std::string model = {};
  WallTime now = {};
  std::string memory = {};  // memory_text() of agent/project_memory.h
  // What the user wants said instead of our own words, and after everything else.
  std::optional<std::string> instead = std::nullopt;
  std::string appended = {};
};

// What every request begins with: who the model is and how it works here, in our own words; where; and what people
// have written down for it.
std::string system_prompt(const SystemPromptInput& input);

}  // namespace deft
