#include <algorithm>
#include <utility>

#include "deft/agent/agent.h"
#include "deft/base/check.h"
#include "deft/core/message_content.h"
#include "deft/os/files.h"
#include "deft/os/uuid.h"

// Prompts that call a command: "/review src". First the hooks hear of it, then its text is made on a worker, where the
// commands in it run through the gate; meanwhile the turn waits, and an abort ends it. And what a skill changes for the
// turn, however it was called.

namespace deft {
namespace {

// The text that a prompt begins with; null: it begins with something else.
Json* first_text(Prompt& prompt) {
  if (prompt.blocks.empty()) return nullptr;
  Json& first = prompt.blocks.front();
  if (first.is_string()) return &first;
  if (find_string(first, "type") != "text" || !find_string(first, "text")) return nullptr;
  return first.get_object().if_contains("text");
}

}  // namespace

Agent::GivenPrompt* Agent::given_prompt(std::size_t number) {
  const auto given = std::ranges::find(this_turn_.prompts, number, &GivenPrompt::number);
  return given == this_turn_.prompts.end() ? nullptr : &*given;
}

// The prompt is judged when there is nothing more to wait for.
void Agent::look_for_command(std::size_t number) {
  GivenPrompt& given = *given_prompt(number);
  given.is_judged = true;
  const Json* text = first_text(given.prompt);
  const bool may_call = options_.commands && text && !given.prompt.is_verbatim && !is_subagent() &&
                        !given.said.blocked && !given.said.stops;
  if (!may_call) return;
  const std::string prompt(view(text->get_string()));
  const auto command = options_.commands->find(prompt);
  if (!command) {
    given.refusal = command.error().message;
    return;
  }
  if (!*command) return;
  if ((*command)->kind == PromptCommand::Kind::built_in) {
    given.refusal = "/" + (*command)->name + " is carried out between two turns.";
    return;
  }
  given.is_judged = false;
  if (!hooks_->listens(HookEvent::user_prompt_expansion)) return expand_command(number, **command);
  const std::string_view type = (*command)->kind == PromptCommand::Kind::server_prompt ? "mcp_prompt" : "slash_command";
  HookMoment moment =
      user_prompt_expansion(hook_scene(), type, (*command)->name, (*command)->arguments, (*command)->source, prompt);
  hooks_->ask(std::move(moment), [this, number, called = **command](HookOutcome outcome) {
    GivenPrompt* asked = given_prompt(number);
    if (!asked) return;
    asked->expansion_context = std::move(outcome.context);
    if (!outcome.blocked && !outcome.stops) return expand_command(number, called);
    asked->said.blocked = outcome.blocked;
    asked->said.block_reason = std::move(outcome.block_reason);
    asked->said.stops = outcome.stops;
    asked->said.stop_reason = std::move(outcome.stop_reason);
    asked->is_judged = true;
  });
}

void Agent::expand_command(std::size_t number, const PromptCommand& command) {
  if (expanding_.stop_requested()) expanding_ = {};
  const std::string id = "prompt_" + random_uuid();
  engine_->runner().start([this, number, command, commands = options_.commands, permissions = engine_->permissions(),
                           gate = executor().gate(id, expanding_.get_token()), stop = expanding_.get_token(),
                           &executor = executor()] {
    auto expanded = commands->expand(command, *permissions, gate, stop);
    executor.post(
        [this, number, expanded = std::move(expanded)]() mutable { take_expansion(number, std::move(expanded)); });
  });
}

void Agent::take_expansion(std::size_t number, Result<PromptCommands::Expanded> expanded) {
  GivenPrompt* given = given_prompt(number);
  if (!given || phase_ == Phase::idle) return;  // its turn is over
  given->is_judged = true;
  if (!expanded) {
    given->refusal = expanded.error().message;
    return;
  }
  *first_text(given->prompt) = std::move(expanded->text);
  given->grant = std::move(expanded->grant);
}

// The last skill that wants another model has it, until the turn ends.
void Agent::follow_grants() {
  const auto& grants = engine_->session().grants;
  const auto grant =
      std::ranges::find_if(grants.rbegin(), grants.rend(), [](const TurnGrant& one) { return !one.model.empty(); });
  if (grant == grants.rend() || grant->model == this_turn_.granted_model) return;
  this_turn_.granted_model = grant->model;
  if (this_turn_.attempts->model() != this_turn_.granted_model)
    this_turn_.attempts->use_model(this_turn_.granted_model);
}

std::string Agent::effort() const {
  const auto& grants = engine_->session().grants;
  const auto grant =
      std::ranges::find_if(grants.rbegin(), grants.rend(), [](const TurnGrant& one) { return !one.effort.empty(); });
  return grant == grants.rend() ? options_.effort : grant->effort;
}

// Of an earlier run of the session. One that is gone by now is left.
void Agent::go_on_in_worktree(const WorktreeStay& stay) {
  Files& files = engine_->workshop().os().files;
  const auto canonical = files.canonical(stay.path);
  const auto status = files.status(stay.path);
  const bool is_there = canonical && *canonical == stay.path && status && status->kind == FileKind::directory;
  if (is_there && stay.from == engine_->session().directories.front()) {
    return executor().change_session(WorktreeChanged{stay});
  }
  frontend_.show(Notice{"The worktree " + stay.path + " is not there any more; the session goes on in " +
                        engine_->session().working_directory + "."});
}

void Agent::clear() {
  DEFT_CHECK(phase_ == Phase::idle);
  conversation_.replace({});
  deferred_.reset();  // its message is forgotten too
  knows_of_planning_ = false;
  log_->cleared();
  executor().take_now(ContextForgotten{});
}

}  // namespace deft
