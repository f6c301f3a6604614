#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/agent_type.h"

// Types of subagents that people write: Markdown files with front matter, whose body is the system prompt, and the
// object that `--agents` takes.

namespace deft {

inline constexpr std::size_t kAgentFileBytesMax = std::size_t{256} << 10;
inline constexpr std::size_t kAgentDescriptionBytesMax = 8'000;
inline constexpr std::size_t kAgentTypeNameBytesMax = 100;

struct ReadAgentType {
  AgentType type;
  std::vector<std::string> notes = {};  // for people: what of it has no effect here, and why
};

// Nothing: it does not say its name, so it is some other file. Errors say what is wrong, without the file's name.
// `trusted`: whoever wrote it may also say how much is done without asking.
Result<std::optional<ReadAgentType>> read_agent_file(std::string_view text, bool trusted);
// {"name": {"description", "prompt", "tools" …} …}
Result<std::vector<ReadAgentType>> read_agents_object(const Json& agents);

}  // namespace deft
