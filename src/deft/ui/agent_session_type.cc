#include <algorithm>
#include <utility>

#include "deft/base/text.h"
#include "deft/ui/agent_session.h"

// The main agent as one of a type (--agent, "agent" in the settings): its prompt, tools, model and mode. What the
// command line says beats what the type says.

namespace deft {
namespace {

constexpr std::string_view kStructuredOutput = "StructuredOutput";  // asked for by the caller, whoever answers

}  // namespace

// The type may be one that a host brings along later.
Result<void> AgentSession::choose_type() {
  const std::string& name = options_.agent ? *options_.agent : settings_.agent.agent;
  if (name.empty() || type_) return {};
  const std::vector<AgentType> types = agent_types();
  const auto found = std::ranges::find(types, name, &AgentType::name);
  if (found != types.end()) return become(*found);
  if (options_.agent) return options_.host ? Result<void>() : check_type();
  const std::string missing =
      "\"agent\" in the settings: there is no agent type " + json_quote(one_line(name, 100)) + " here";
  if (std::ranges::find(notices_, missing) == notices_.end()) notices_.push_back(missing);
  return {};
}

Result<void> AgentSession::check_type() const {
  if (!options_.agent || options_.agent->empty() || type_) return {};
  std::vector<std::string> names;
  for (const AgentType& type : agent_types()) names.push_back(type.name);
  return fail(Errc::not_found, "--agent: there is no agent type " + json_quote(one_line(*options_.agent, 100)) +
                                   "; there are: " + join(names, ", "));
}

Result<void> AgentSession::become(const AgentType& type) {
  type_ = type;
  AgentOptions& options = agent_->options();
  options.engine.agent_type = type.name;
  options.system = make_system_prompt();
  if (!type.model.empty() && type.model != "inherit" && options_.provider.model.empty()) {
    if (auto used = use_model(type.model); !used) return used;
  }
  if (!type.effort.empty() && options_.effort.empty()) options.effort = type.effort;
  if (type.turns_max && !options_.limits.requests_max) options.limits.requests_max = type.turns_max;
  if (type.mode && !options_.mode) agent_->engine().executor().take_now(ModeWanted{*type.mode});
  if (type.agents) subagents_->let_main_start(*type.agents);
  if (type.memory != AgentType::Memory::none) {
    Files& files = agent_->engine().workshop().os().files;
    agent_->engine().executor().take_now(RulesGranted{equipment_->rules(type, files)});
  }
  SubagentOptions::Equipment own = equipment_->equip({}, type, {});
  for (std::string& notice : own.notices) notices_.push_back(std::move(notice));
  for (auto& tool : own.tools) {
    if (auto added = agent_->add_tool(std::move(tool)); !added) return added;
  }
  offer_tools();
  const auto pool = agent_->engine().executor().pool();
  const auto is_of_server = [](const std::string& name) { return name.starts_with("mcp__"); };
  const bool may_come = !type.servers.empty() || (type.tools && std::ranges::any_of(*type.tools, is_of_server));
  if (pool->advertised().empty() && !may_come) {
    return fail(Errc::invalid_input, "the agent type " + type.name + " has none of the tools that there are");
  }
  return {};
}

void AgentSession::offer_tools() {
  if (options_.hidden_tool.empty() && !type_) return;
  agent_->engine().offer_only([this](const ToolSpec& spec) {
    if (spec.name == options_.hidden_tool) return false;
    return !type_ || spec.name == kStructuredOutput || has_tool(*type_, {spec.name, spec.aliases});
  });
}

// Instead of deft's own words; SDKs say "" when they have nothing to say.
std::optional<std::string> AgentSession::own_prompt() const {
  const bool says_something = options_.system_prompt && !options_.system_prompt->empty();
  if (says_something || !type_ || type_->prompt.empty()) return options_.system_prompt;
  return prompt_of(*type_);
}

std::string AgentSession::prompt_of(const AgentType& type) const {
  const std::string skills = skills_ ? skills_->told_from_start(type.skills) : "";
  return type.prompt + skills + equipment_->memory_text(type, agent_->engine().workshop().os().files);
}

}  // namespace deft
