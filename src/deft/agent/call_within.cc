#include <utility>

#include "deft/agent/call_pipeline.h"
#include "deft/base/check.h"

// A call that a call makes, a prompt or a host: the same stages in the same order, only without a turn that could park
// it. So what waits (a tool of the host's, another agent) cannot be called here.

namespace deft {
namespace {

constexpr std::size_t kInputsReplacedMax = 4;  // by hooks, by the tool itself, by whoever was asked

CallSetting without_turn(const CallSetting& setting, std::shared_ptr<const Permissions> permissions) {
  DEFT_CHECK(setting.pool);
  return {.session = setting.session,
          .permissions = permissions ? std::move(permissions) : setting.permissions,
          .pool = setting.pool,
          .stop = setting.stop,
          .progress = [](const Json&) {}};
}

}  // namespace

ToolResult CallPipeline::call_within(const std::string& outer_id, const CallSetting& setting, std::string_view tool,
                                     Json input, std::shared_ptr<const Permissions> permissions) const {
  return whole_call({.id = outer_id + "/" + std::to_string(++calls_within_),
                     .name = std::string(tool),
                     .input = std::move(input),
                     .input_text = {},
                     .invalid = {}},
                    without_turn(setting, std::move(permissions)), Origin::built_in, nullptr);
}

ToolResult CallPipeline::call_for_host(const std::string& id, const CallSetting& setting, std::string_view tool,
                                       Json input, const AskAndWait& ask) const {
  return whole_call({.id = id, .name = std::string(tool), .input = std::move(input), .input_text = {}, .invalid = {}},
                    without_turn(setting, nullptr), Origin::mcp, ask);
}

ToolResult CallPipeline::whole_call(ToolCall made, const CallSetting& setting, Origin origin,
                                    const AskAndWait& ask) const {
  const std::string id = made.id, tool = made.name;
  const auto refused = [&](ToolResult result) {
    record(id, tool, result);
    return result;
  };
  auto admitted = admit(*setting.pool, *setting.permissions, setting.session, std::move(made));
  for (std::size_t replaced = 0; replaced <= kInputsReplacedMax; ++replaced) {
    if (auto* wrong = std::get_if<ToolResult>(&admitted)) return refused(std::move(*wrong));
    AdmittedCall& call = std::get<AdmittedCall>(admitted);
    if (call.tool().spec().origin != origin) {
      return refused(
          engine_error(Errc::unsupported,
                       call.call.name + (origin == Origin::built_in ? " cannot be called from within another call."
                                                                    : " is no tool of an MCP server.")));
    }
    resolve(call, setting.session, Scheduling::exclusive);
    Prepared prepared = prepare(call, setting);
    if (auto* denied = std::get_if<Denied>(&prepared)) return refused(std::move(denied->result));
    if (auto* asks = std::get_if<Asks>(&prepared)) {
      if (!ask || call.approved) return refused(denial(call, asks->decision));
      PermissionAnswer answer = ask({.id = id,
                                     .call = call.call,
                                     .title = title(call),
                                     .decision = asks->decision,
                                     .is_destructive = is_destructive(call)});
      if (answer.verdict != Verdict::allow) {
        if (!answer.feedback.empty()) asks->decision.reason = std::move(answer.feedback);
        return refused(denial(call, asks->decision));
      }
      call.approved = true;
      call.hooks = std::move(asks->hooks);
      Json input = answer.updated_input ? std::move(*answer.updated_input) : call.call.input;
      admitted = readmit(AdmittedCall(call), setting.session, std::move(input));
      continue;
    }
    if (auto* other = std::get_if<InputReplaced>(&prepared)) {
      if (other->by_hooks) call.hooks = std::move(other->hooks);
      admitted = readmit(AdmittedCall(call), setting.session, std::move(other->input));
      continue;
    }
    const HookOutcome hooks = std::move(std::get<Allowed>(prepared).hooks);
    CallSetting allowed = setting;
    allowed.paths = std::move(std::get<Allowed>(prepared).paths);
    const TimePoint began = now();
    ToolResult result = run(call, allowed);
    if (result.error == Errc::cancelled) {
      finish_stopped(call, setting, result);
      record(id, call.call.name, result);
    } else {
      finish(call, setting, hooks, now() - began, result);
    }
    return result;
  }
  return refused(engine_error(Errc::limit, "The input of the call was replaced too often."));
}

}  // namespace deft
