#include "deft/agent/prompt_commands.h"

#include <algorithm>
#include <utility>

#include "deft/base/text.h"
#include "deft/config/skill_file.h"

namespace deft {
namespace {

constexpr std::size_t kNamesShownMax = 30;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string called(const PromptCommand& command) {
  return "<command-name>/" + command.name + "</command-name>\n" +
         (command.arguments.empty() ? "" : "<command-args>" + command.arguments + "</command-args>\n");
}

}  // namespace

std::optional<PromptCommand> parse_prompt_command(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with('/')) return std::nullopt;
  text.remove_prefix(1);
  const std::size_t end = static_cast<std::size_t>(std::ranges::find_if(text, is_blank) - text.begin());
  const std::string_view name = text.substr(0, end);
  if (!is_skill_name(name)) return std::nullopt;
  return PromptCommand{.name = std::string(name), .arguments = std::string(trimmed(text.substr(end)))};
}

void PromptCommands::add(BuiltInCommand command) {
  const std::lock_guard lock(mutex_);
  const std::string name = command.name;
  built_in_.insert_or_assign(name, std::move(command));
}

void PromptCommands::use(std::vector<ServerPrompt> prompts) {
  const std::lock_guard lock(mutex_);
  server_prompts_.clear();
  for (ServerPrompt& prompt : prompts) {
    const std::string name = prompt.name;
    if (is_skill_name(name)) server_prompts_.emplace(name, std::move(prompt));
  }
}

std::vector<ListedCommand> PromptCommands::list() const {
  std::map<std::string, ListedCommand> by_name;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, command] : built_in_) {
      by_name.try_emplace(name, ListedCommand{name, command.description, command.argument_hint});
    }
    for (const auto& [name, prompt] : server_prompts_) {
      std::string hint;
      for (const std::string& argument : prompt.arguments) hint += (hint.empty() ? "[" : " [") + argument + "]";
      by_name.try_emplace(name, ListedCommand{name, prompt.description, hint});
    }
  }
  if (parts_.skills) {
    for (const Skill& skill : parts_.skills->all()) {
      if (skill.for_user) {
        by_name.try_emplace(skill.name, ListedCommand{skill.name, skill.description, skill.argument_hint});
      }
    }
  }
  std::vector<ListedCommand> list;
  for (auto& [name, command] : by_name) list.push_back(std::move(command));
  return list;
}

// What is built in cannot be replaced by a file: people must be able to rely on /clear.
Result<std::optional<PromptCommand>> PromptCommands::find(std::string_view text) const {
  auto command = parse_prompt_command(text);
  if (!command) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (built_in_.contains(command->name)) {
      command->kind = PromptCommand::Kind::built_in;
      command->source = "built-in";
      return command;
    }
    if (server_prompts_.contains(command->name)) {
      command->kind = PromptCommand::Kind::server_prompt;
      command->source = "mcp";
      return command;
    }
  }
  const auto skill = parts_.skills ? parts_.skills->known(command->name) : std::nullopt;
  if (skill && skill->for_user) {
    command->source = to_string(skill->source);
    return command;
  }
  if (skill) return fail(Errc::denied, "/" + command->name + " is only for the model, which uses it by itself.");
  // A path, rather.
  if (command->name.find('/') != std::string::npos) return std::nullopt;
  std::vector<std::string> names;
  for (const ListedCommand& one : list()) {
    if (names.size() < kNamesShownMax) names.push_back("/" + one.name);
  }
  return fail(Errc::not_found, "There is no command /" + command->name +
                                   (names.empty() ? "." : "; there are " + join(names, ", ") + "."));
}

Result<std::string> PromptCommands::run(const PromptCommand& command) const {
  std::function<Result<std::string>(const std::string&)> run;
  {
    const std::lock_guard lock(mutex_);
    const auto found = built_in_.find(command.name);
    if (found == built_in_.end()) return fail(Errc::not_found, "There is no command /" + command.name + ".");
    run = found->second.run;
  }
  return run(command.arguments);
}

Result<PromptCommands::Expanded> PromptCommands::expand(const PromptCommand& command, const Permissions& permissions,
                                                        const CallWithin& call, std::stop_token stop) const {
  if (command.kind == PromptCommand::Kind::server_prompt) return expand_server_prompt(command, std::move(stop));
  return expand_skill(command, permissions, call);
}

Result<PromptCommands::Expanded> PromptCommands::expand_skill(const PromptCommand& command,
                                                              const Permissions& permissions,
                                                              const CallWithin& call) const {
  if (!parts_.skills) return fail(Errc::not_found, "There is no command /" + command.name + ".");
  const auto skill = parts_.skills->find(command.name);
  if (!skill) return std::unexpected(skill.error());
  if (skill->forks && skill->for_model && parts_.can_fork) {
    return Expanded{.text = called(command) + "This is done by an agent of its own: call Skill with " +
                            to_json(JsonObject{{"skill", command.name}, {"args", command.arguments}}) +
                            " and tell the user what comes of it."};
  }
  const SkillScene scene = parts_.scene ? parts_.scene() : SkillScene{};
  auto ready = make_ready(*skill, command.arguments, scene, permissions, call);
  if (!ready) return std::unexpected(ready.error());
  if (skill->trusted && !skill->hooks.is_null()) {
    if (!parts_.use_hooks) return fail(Errc::unsupported, command.name + " has hooks, which cannot be used here");
    if (auto used = parts_.use_hooks(*skill); !used) return std::unexpected(used.error());
  }
  return Expanded{.text = called(command) + "\n" + ready->text, .grant = std::move(ready->grant)};
}

// Arguments by position; the last one takes all that is left.
Result<PromptCommands::Expanded> PromptCommands::expand_server_prompt(const PromptCommand& command,
                                                                      std::stop_token stop) const {
  ServerPrompt prompt;
  {
    const std::lock_guard lock(mutex_);
    const auto found = server_prompts_.find(command.name);
    if (found == server_prompts_.end())
      return fail(Errc::not_found, "There is no command /" + command.name + " any more.");
    prompt = found->second;
  }
  const std::vector<std::string> words = split_arguments(command.arguments);
  std::map<std::string, std::string> values;
  for (std::size_t i = 0; i < prompt.arguments.size() && i < words.size(); ++i) {
    std::string& value = values[prompt.arguments[i]];
    value = words[i];
    if (i + 1 < prompt.arguments.size()) continue;
    for (std::size_t rest = i + 1; rest < words.size(); ++rest) value += " " + words[rest];
  }
  auto text = prompt.expand(values, std::move(stop));
  if (!text) return std::unexpected(text.error());
  return Expanded{.text = called(command) + "\n" + *text};
}

}  // namespace deft
