#include <algorithm>
#include <utility>

#include "deft/agent/skill_agents.h"
#include "deft/agent/worktree_hooks.h"
#include "deft/tools/shell_environment.h"
#include "deft/ui/agent_session.h"
#include "deft/ui/builtin_options.h"

// Skills, worktrees and commands of a session, and the commands that need no model.

namespace deft {
namespace {

// The text that a prompt consists of; nothing: there is more to it.
std::optional<std::string_view> only_text(const Prompt& prompt) {
  if (prompt.is_verbatim || prompt.blocks.size() != 1) return std::nullopt;
  const Json& block = prompt.blocks.front();
  return block.is_string() ? std::optional(view(block.get_string())) : find_string(block, "text");
}

std::string help_text(const std::vector<ListedCommand>& commands) {
  std::string text;
  for (const ListedCommand& command : commands) {
    text += "/" + command.name + (command.argument_hint.empty() ? "" : " " + command.argument_hint) + "\n    " +
            command.description + "\n";
  }
  return text;
}

std::string text_of_cost(const SessionUsage& usage, const PriceSettings& prices) {
  std::string text;
  for (const auto& [model, use] : usage.by_model) {
    text += model + ": " + std::to_string(use.input) + " tokens in, " + std::to_string(use.output) + " out, " +
            std::to_string(use.cache_read) + " read from the cache, " + std::to_string(use.cache_write) +
            " written to it" + (prices.of(model) ? "" : "; its price is not known") + "\n";
  }
  if (text.empty()) return "Nothing was used so far.";
  const auto cents = static_cast<std::int64_t>(usage.cost * 10'000 + 0.5);
  std::string part = std::to_string(cents % 10'000);
  part.insert(0, 4 - part.size(), '0');
  return text + "Together: $" + std::to_string(cents / 10'000) + "." + part;
}

std::string tasks_text(const std::vector<TaskView>& tasks) {
  std::string text;
  for (const TaskView& task : tasks) {
    text += task.id + "  " + std::string(to_string(task.status)) + "  " + task.command + "\n";
  }
  return text.empty() ? "Nothing runs in the background." : text;
}

}  // namespace

void AgentSession::use_skills(BuiltinOptions& builtin) {
  const auto model_named = [settings = settings_.model, flags = options_.provider](const std::string& name) {
    ProviderFlags wanted = flags;
    wanted.model = name;
    const auto choice = choose_provider(settings, wanted, ShellEnvironment::own());
    return choice ? choice->model : name;
  };
  skills_.emplace(SkillSetupRequest{.directory = options_.working_directory,
                                    .trusted = trusted_,
                                    .wanted = options_.settings.wanted,
                                    .model_named = model_named,
                                    .effort = provider_.effort,
                                    .settings = settings_.tools},
                  agent_->engine(), hooks_->runner());
  for (std::string& problem : skills_->shelf()->problems()) notices_.push_back(std::move(problem));
  for (const AgentType& type : agent_types()) {
    for (const std::string& name : type.skills) {
      if (auto why = skills_->not_told(name)) notices_.push_back("agents: " + type.name + ": " + *why);
    }
  }
  builtin.skill = skills_->tool_options();
  builtin.skill.run_agent = run_by_agent(*subagents_);
  builtin.worktree = worktree_options();
  builtin.after_reading = skills_->after_reading(builtin.after_reading);
  if (!builtin.tasks) builtin.tasks = std::make_shared<BackgroundTasks>();
  if (options_.slash_commands) add_commands(builtin.tasks);
}

WorktreeToolOptions AgentSession::worktree_options() {
  return with_worktree_hooks({.git = deft::worktree_options(settings_)}, hooks_->runner(), [this] {
    const auto permissions = agent_->engine().permissions();
    return HookScene{.directory = permissions->setup().directory, .mode = permissions->mode()};
  });
}

void AgentSession::add_commands(std::shared_ptr<BackgroundTasks> tasks) {
  commands_ =
      std::make_shared<PromptCommands>(PromptCommands::Parts{.skills = skills_->shelf(),
                                                             .scene = [scene = skills_->scene()] { return scene; },
                                                             .use_hooks = skills_->use_hooks(),
                                                             .can_fork = true});
  commands_->add({.name = "help",
                  .description = "Says what can be called",
                  .run = [this](const std::string&) -> Result<std::string> { return help_text(commands()); }});
  commands_->add({.name = "compact",
                  .description = "Puts a summary in the place of the conversation",
                  .argument_hint = "[what to keep]",
                  .run = [this](const std::string& instructions) { return compact(instructions); }});
  commands_->add({.name = "clear", .description = "Forgets the conversation", .run = [this](const std::string&) {
                    return clear();
                  }});
  commands_->add({.name = "cost",
                  .description = "Says what the session has used",
                  .run = [this](const std::string&) -> Result<std::string> { return cost_text(); }});
  commands_->add({.name = "context",
                  .description = "Says how full the context is",
                  .run = [this](const std::string&) -> Result<std::string> {
                    const std::uint64_t window = agent_->options().context.window_tokens;
                    return "About " + std::to_string(agent_->context_tokens()) + " of " + std::to_string(window) +
                           " tokens are used.";
                  }});
  commands_->add({.name = "tasks",
                  .description = "Says what runs in the background",
                  .run = [tasks = std::move(tasks)](const std::string&) -> Result<std::string> {
                    return tasks_text(tasks->list());
                  }});
  agent_->options().commands = commands_;
}

Result<std::string> AgentSession::compact(const std::string& instructions) {
  const auto done = agent_->compact(instructions);
  if (!done) return std::unexpected(done.error());
  return "The conversation has about " + std::to_string(done->tokens_after) + " tokens now, instead of " +
         std::to_string(done->tokens_before) + ".";
}

Result<std::string> AgentSession::clear() {
  agent_->end_session("clear");
  agent_->clear();
  if (options_.tell_of_clear) options_.tell_of_clear();
  agent_->begin_session("clear");
  return "The conversation is forgotten.";
}

TurnEnd AgentSession::run_turn(const Prompt& prompt) {
  const auto text = commands_ ? only_text(prompt) : std::nullopt;
  auto command = text ? commands_->find(*text) : Result<std::optional<PromptCommand>>(std::nullopt);
  if (!command) {  // perhaps its file has come since
    skills_->shelf()->look_again();
    command = commands_->find(*text);
  }
  const bool is_built_in = command && *command && (*command)->kind == PromptCommand::Kind::built_in;
  if (!is_built_in) return agent_->run_turn(prompt);
  const TimePoint began = clock_.now();
  auto said = commands_->run(**command);
  const bool is_aborted = !said && said.error().code == Errc::cancelled;
  TurnEnd end{.reason = said         ? TurnReason::completed
                        : is_aborted ? TurnReason::aborted_streaming
                                     : TurnReason::prompt_blocked};
  (said ? end.text : end.explanation) = said ? *std::move(said) : said.error().message;
  end.duration = clock_.now() - began;
  agent_->announce_end();
  return end;
}

std::vector<ListedCommand> AgentSession::commands() const {
  return commands_ ? commands_->list() : std::vector<ListedCommand>();
}

std::string AgentSession::cost_text() const { return text_of_cost(agent_->usage(), settings_.prices); }

void AgentSession::offer_skills(const std::vector<std::string>& names) { skills_->shelf()->offer_only(names); }

void AgentSession::look_for_skills() { skills_->shelf()->look_again(); }

std::vector<std::string> AgentSession::skill_names() const {
  std::vector<std::string> names;
  for (const Skill& skill : skills_->shelf()->all()) {
    if (skill.kind == Skill::Kind::skill && skills_->shelf()->offers(skill.name)) names.push_back(skill.name);
  }
  return names;
}

}  // namespace deft
