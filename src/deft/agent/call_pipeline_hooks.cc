#include <utility>

#include "deft/agent/call_pipeline.h"

// Hooks of one call, and of what is beside it.

namespace deft {

ToolCall CallPipeline::call_for_hooks(const AdmittedCall& call) {
  const ToolSpec& spec = call.tool().spec();
  return {.id = call.call.id,
          .name = spec.mcp ? spec.mcp->full() : spec.name,
          .input = call.call.input,
          .input_text = {},
          .invalid = {}};
}

HookMoment CallPipeline::with_server(HookMoment moment, const ToolSpec& spec) {
  if (!spec.mcp) return moment;
  moment.mcp = spec.mcp;
  moment.api_name = spec.name;
  if (moment.event != HookEvent::pre_tool_use && moment.event != HookEvent::permission_request) return moment;
  JsonObject server{{"name", spec.mcp->server}};
  if (!spec.mcp->source.empty()) server["source"] = spec.mcp->source;
  moment.fields["mcp_server"] = std::move(server);
  return moment;
}

HookScene CallPipeline::scene(std::string_view directory, Mode mode) const {
  return {
      .directory = std::string(directory), .mode = mode, .agent_id = parts_.agent_id, .agent_type = parts_.agent_type};
}

HookScene CallPipeline::scene(const CallSetting& setting) const {
  return scene(setting.session.working_directory(), setting.permissions->mode());
}

HookOutcome CallPipeline::run_hooks(const HookMoment& moment, const std::string& call_id, std::stop_token stop) const {
  HookOutcome outcome = parts_.hooks.run(moment, std::move(stop));
  show_hooks(parts_.frontend, moment.event, call_id, outcome);
  return outcome;
}

// What was denied in auto mode may be allowed to be tried again.
bool CallPipeline::may_retry(const AdmittedCall& call, const CallSetting& setting, const Decision& decision) const {
  if (setting.permissions->mode() != Mode::auto_ || !listens(HookEvent::permission_denied)) return false;
  const ToolCall named = call_for_hooks(call);
  HookMoment moment = with_server(permission_denied(scene(setting), named, decision.reason), call.tool().spec());
  return run_hooks(moment, named.id, setting.stop).retry;
}

OutputChange CallPipeline::run_post_hooks(const AdmittedCall& call, const CallSetting& setting, Duration took,
                                          ToolResult& result) const {
  const HookEvent event = result.is_error() ? HookEvent::post_tool_use_failure : HookEvent::post_tool_use;
  if (!listens(event) || (result.is_error() && !is_failure_for_hooks(*result.error))) return OutputChange::none;
  const ToolCall named = call_for_hooks(call);
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(took);
  const HookMoment moment =
      with_server(after_tool_use(scene(setting), named, result, milliseconds), call.tool().spec());
  const HookOutcome outcome = run_hooks(moment, named.id, setting.stop);
  const OutputChange change = replace_output(outcome, call.tool().spec().origin == Origin::built_in, result);
  if (change == OutputChange::refused) {
    parts_.frontend.show(
        Notice{"A hook's updatedToolOutput has not the shape of what " + named.name + " gives, and was not used."});
  }
  add_hook_words(event, outcome, result);
  return change;
}

}  // namespace deft
