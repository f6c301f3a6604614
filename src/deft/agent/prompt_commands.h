#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/tools/skill.h"

// Prompts that call something by its name: "/review src/a.cc". Skills and commands from files, prompts of MCP servers,
// and what is built in.

namespace deft {

// What a prompt calls.
struct PromptCommand {
  enum class Kind : std::uint8_t { skill, server_prompt, built_in };
  Kind kind = Kind::skill;
  std::string name;
  std::string arguments = {};
  std::string source = {};  // for hooks: "project", "user", "managed", "mcp", "built-in"
};

// "/name and arguments": nothing if it is no such thing. "/etc/hosts is broken" is a name with slashes; whether there
// is such a command is for others to say.
std::optional<PromptCommand> parse_prompt_command(std::string_view text);

// A prompt that a server offers.
struct ServerPrompt {
  std::string name;  // as it is called: "mcp__server__prompt"
  std::string description = {};
  std::vector<std::string> arguments = {};  // their names, in order
  // Its text with these values; blocks, and ends soon after a stop is requested.
  std::function<Result<std::string>(const std::map<std::string, std::string>& arguments, std::stop_token stop)> expand;
};

// A command that is carried out here, without the model: what it has to say to the user.
struct BuiltInCommand {
  std::string name;
  std::string description;
  std::string argument_hint = {};
  std::function<Result<std::string>(const std::string& arguments)> run;
};

// For people and hosts: `/help`, the list of a session's beginning.
struct ListedCommand {
  std::string name;
  std::string description;
  std::string argument_hint = {};
};

// All that prompts of one session can call. Any thread may call; what is built in and what servers offer is added
// before the first prompt, or between two.
class PromptCommands {
 public:
  struct Parts {
    std::shared_ptr<const Skills> skills = nullptr;
    std::function<SkillScene()> scene = nullptr;
    UseSkillHooks use_hooks = nullptr;  // see SkillToolOptions
    bool can_fork = false;              // the Skill tool gives a skill with `context: fork` to an agent
  };
  explicit PromptCommands(Parts parts) : parts_(std::move(parts)) {}

  void add(BuiltInCommand command);
  void use(std::vector<ServerPrompt> prompts);  // all that there are now
  std::vector<ListedCommand> list() const;      // by name

  // What the text calls; nothing: it calls nothing. The error: it looks like a command, and there is none of that name.
  Result<std::optional<PromptCommand>> find(std::string_view text) const;

  // One of Kind::built_in: what it says.
  Result<std::string> run(const PromptCommand& command) const;

  // All others: what the model is told instead of the prompt, and what is granted for the turn. Blocks: commands in the
  // text are run by `call`.
  struct Expanded {
    std::string text;
    TurnGrant grant = {};
  };
  Result<Expanded> expand(const PromptCommand& command, const Permissions& permissions, const CallWithin& call,
                          std::stop_token stop) const;

 private:
  Result<Expanded> expand_skill(const PromptCommand& command, const Permissions& permissions,
                                const CallWithin& call) const;
  Result<Expanded> expand_server_prompt(const PromptCommand& command, std::stop_token stop) const;

  Parts parts_;
  mutable std::mutex mutex_;
  std::map<std::string, BuiltInCommand> built_in_;      // under mutex_
  std::map<std::string, ServerPrompt> server_prompts_;  // under mutex_
};

}  // namespace deft
