#include <utility>

#include "deft/agent/call_pipeline.h"
#include "deft/base/check.h"

// A call that a call makes, or a prompt: the same stages in the same order, only without a turn that could park it. So
// nobody can be asked, and what waits (a tool of the host's, another agent) cannot be called here.

namespace deft {
namespace {

constexpr std::size_t kInputsReplacedMax = 4;  // by hooks, and by the tool itself

}  // namespace

ToolResult CallPipeline::call_within(const std::string& outer_id, const CallSetting& setting, std::string_view tool,
                                     Json input, std::shared_ptr<const Permissions> permissions) const {
  DEFT_CHECK(setting.pool);
  CallSetting own{.session = setting.session,
                  .permissions = permissions ? std::move(permissions) : setting.permissions,
                  .pool = setting.pool,
                  .stop = setting.stop,
                  .progress = [](const Json&) {}};
  ToolCall made{.id = outer_id + "/" + std::to_string(++calls_within_),
                .name = std::string(tool),
                .input = std::move(input),
                .input_text = {},
                .invalid = {}};
  const std::string id = made.id;
  const auto refused = [&](ToolResult result) {
    record(id, std::string(tool), result);
    return result;
  };
  auto admitted = admit(*own.pool, *own.permissions, own.session, std::move(made));
  for (std::size_t replaced = 0; replaced <= kInputsReplacedMax; ++replaced) {
    if (auto* wrong = std::get_if<ToolResult>(&admitted)) return refused(std::move(*wrong));
    AdmittedCall& call = std::get<AdmittedCall>(admitted);
    if (call.tool().spec().origin != Origin::built_in) {
      return refused(engine_error(Errc::unsupported, call.call.name + " cannot be called from within another call."));
    }
    resolve(call, own.session, Scheduling::exclusive);
    Prepared prepared = prepare(call, own);
    if (auto* denied = std::get_if<Denied>(&prepared)) return refused(std::move(denied->result));
    if (auto* asks = std::get_if<Asks>(&prepared)) return refused(denial(call, asks->decision));
    if (auto* other = std::get_if<InputReplaced>(&prepared)) {
      if (other->by_hooks) call.hooks = std::move(other->hooks);
      admitted = readmit(AdmittedCall(call), own.session, std::move(other->input));
      continue;
    }
    const HookOutcome hooks = std::move(std::get<Allowed>(prepared).hooks);
    const TimePoint began = now();
    ToolResult result = run(call, own);
    if (result.error == Errc::cancelled) {
      finish_stopped(call, own, result);
      record(id, call.call.name, result);
    } else {
      finish(call, own, hooks, now() - began, result);
    }
    return result;
  }
  return refused(engine_error(Errc::limit, "The input of the call was replaced too often."));
}

}  // namespace deft
