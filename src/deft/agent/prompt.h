#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/core/message.h"
#include "deft/core/permission.h"

// What people are asked, and what they answer. Who asks pushes it to the prompt queue (agent/prompt_queue.h).

namespace deft {

enum class PromptKind : std::uint8_t {
  permission,        // may this call run?
  question,          // the call is itself a question to the person (AskUserQuestion)
  plan_approval,     // may the plan be carried out? (ExitPlanMode)
  elicitation_form,  // a server wants to be told something
  elicitation_url,   // a server wants the person to visit a page
  sampling,          // a server wants the model to be asked
};
std::string_view to_string(PromptKind kind);  // "permission" …
// Of a question about a call of this tool.
PromptKind prompt_kind_of(std::string_view tool);

// About a call. The answer carries the same id; it is asked until answered or withdrawn.
struct PermissionAsked {
  std::string id;
  ToolCall call;
  std::string title;  // "Bash(make test)"
  Decision decision;
  bool is_destructive = false;
  std::vector<std::string> proposal = {};  // the rules that "always" would write; empty: it cannot be allowed for good
  std::string agent_id = {};               // of a subagent, whose call it is; empty: the main agent
  std::string agent_type = {};
  PromptKind kind = PromptKind::permission;
  std::optional<TimePoint> deadline = std::nullopt;  // then it is settled without an answer
};
struct PermissionWithdrawn {
  std::string id;
};

// By a server (MCP).
struct ServerAsked {
  std::string id;
  PromptKind kind = PromptKind::elicitation_form;
  std::string server;
  std::string message;
  Json details;     // of a form: the schema of what is wanted; of sampling: the request
  std::string url;  // of elicitation_url
  std::optional<TimePoint> deadline = std::nullopt;
};
struct ServerAskWithdrawn {
  std::string id;
};

// "Always allow": what the answer writes down.
struct AlwaysAllow {
  std::vector<std::string> rules;  // empty: those that were proposed
  SettingSource destination = SettingSource::session;
};
struct PermissionAnswer {
  std::string id;
  Verdict verdict = Verdict::deny;
  std::string feedback;
  std::optional<Json> updated_input;
  bool ends_turn = false;  // a denial that also stops everything else
  std::optional<AlwaysAllow> always = std::nullopt;
  JsonArray updated_permissions = {};  // further changes that come with a yes, see PermissionUpdate
};
struct ServerAnswer {
  std::string id;
  enum class Action : std::uint8_t {
    accept,
    decline,  // the person does not want to
    cancel,   // nobody has decided: it was closed, withdrawn, or took too long
  } action = Action::cancel;
  Json content;  // accepted: what the form's schema asks for, or the request of sampling, if the person changed it
};
std::string_view to_string(ServerAnswer::Action action);

using PendingPrompt = std::variant<PermissionAsked, ServerAsked>;
using PromptAnswer = std::variant<PermissionAnswer, ServerAnswer>;
const std::string& id_of(const PendingPrompt& prompt);
const std::string& id_of(const PromptAnswer& answer);

// An open prompt says something else now (why it is asked, until when), never what would run.
struct PromptChanged {
  PendingPrompt now;
};
// Somebody has answered; whoever shows it too may take it away.
struct PromptAnswered {
  std::string id;
};

}  // namespace deft
