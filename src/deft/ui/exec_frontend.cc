#include "deft/ui/exec_frontend.h"

#include <chrono>
#include <utility>

#include "deft/base/overloaded.h"

namespace deft {
namespace {

double milliseconds(std::chrono::nanoseconds duration) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  return static_cast<double>(micros) / 1000.0;
}

JsonArray to_array(const std::vector<std::string>& texts) {
  JsonArray array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

// The input as the model wrote it, so that every digit survives, unless it was changed on the way.
std::string with_input(JsonObject line, const ToolCall& call) {
  std::string text = to_json(line);
  text.pop_back();
  return text + ",\"input\":" + (call.input_text.empty() ? to_json(call.input) : call.input_text) + "}";
}

JsonObject request_line(const PermissionAsked& asked) {
  JsonObject line{{"type", "permission_request"},
                  {"id", asked.id},
                  {"kind", to_string(asked.kind)},
                  {"tool_use_id", asked.call.id},
                  {"name", asked.call.name},
                  {"title", asked.title},
                  {"reason", asked.decision.reason},
                  {"stage", to_string(asked.decision.stage)},
                  {"destructive", asked.is_destructive}};
  if (!asked.decision.rule.empty()) line["rule"] = asked.decision.rule;
  if (!asked.agent_id.empty()) line["agent_id"] = asked.agent_id;
  if (!asked.agent_type.empty()) line["agent_type"] = asked.agent_type;
  line["proposal"] = to_array(asked.proposal);
  // The input as it will run, not as it came: an answer belongs to exactly this.
  line["input"] = asked.call.input;
  return line;
}

}  // namespace

std::string result_line(const CallAnswered& answered) {
  const ToolResult& result = answered.result;
  JsonObject line{{"type", "tool_result"}, {"tool_use_id", answered.call_id}};
  if (result.blocks.empty()) {
    line["content"] = result.text;
  } else {
    JsonArray content;
    if (!result.text.empty()) content.push_back({{"type", "text"}, {"text", result.text}});
    content.insert(content.end(), result.blocks.begin(), result.blocks.end());
    line["content"] = std::move(content);
  }
  line["is_error"] = result.is_error();
  if (result.is_error()) line["code"] = to_string(*result.error);
  line["name"] = answered.tool;
  line["duration_ms"] = milliseconds(answered.duration);
  if (!result.details.is_null()) line["tool_use_result"] = result.details;
  if (result.stored && !result.stored->path.empty()) {
    line["stored"] = JsonObject{{"path", result.stored->path}, {"bytes", result.stored->bytes}};
  }
  if (result.stop_after) line["stop_after"] = *result.stop_after;
  if (!result.new_messages.empty()) line["new_messages"] = result.new_messages;
  std::string text = to_json(line);
  if (!result.meta_text.empty()) {
    text.pop_back();
    text += ",\"_meta\":" + result.meta_text + "}";
  }
  return text;
}

void ExecFrontend::show(Event event) {
  const auto put = [this](const JsonObject& line) { writer_.put(to_json(line)); };
  std::visit(
      Overloaded{
          [&](CallProgressed& progressed) {
            JsonObject line{{"type", "progress"}, {"tool_use_id", progressed.call_id}};
            line["data"] = std::move(progressed.data);
            writer_.put_progress(progressed.call_id, to_json(line));
          },
          [&](const CallAnswered& answered) { writer_.put(result_line(answered)); },
          [&](const StageEnded& ended) {
            JsonObject line{{"type", "stage"}, {"tool_use_id", ended.call_id}};
            line["stage"] = ended.stage;
            line["outcome"] = ended.outcome;
            if (!ended.detail.empty()) line["detail"] = ended.detail;
            line["duration_ms"] = milliseconds(ended.duration);
            put(line);
          },
          [&](const ProgressChanged& changed) {
            put({{"type", "state"},
                 {"started", to_array(changed.started)},
                 {"ended", to_array(changed.ended)},
                 {"in_progress", changed.in_progress},
                 {"can_interrupt", changed.can_interrupt}});
          },
          [&](const PermissionAsked& asked) { put(request_line(asked)); },
          [&](const PermissionWithdrawn& withdrawn) { put({{"type", "permission_withdrawn"}, {"id", withdrawn.id}}); },
          [&](const PromptChanged& changed) {
            const auto* asked = std::get_if<PermissionAsked>(&changed.now);
            if (!asked) return;
            JsonObject line = request_line(*asked);
            line["type"] = "permission_changed";
            put(line);
          },
          [&](const HostCallMade& made) {
            writer_.put(
                with_input({{"type", "call"}, {"tool_use_id", made.call.id}, {"name", made.call.name}}, made.call));
          },
          [&](const HostCallWithdrawn& withdrawn) {
            put({{"type", "call_withdrawn"}, {"tool_use_id", withdrawn.call_id}});
          },
          [&](const MessageDiscarded& discarded) {
            put({{"type", "discarded"}, {"kept", discarded.kept}, {"calls", discarded.calls}});
          },
          [&](const HookSpoke& spoke) {
            JsonObject line{{"type", to_string(spoke.kind)}, {"event", to_string(spoke.event)}};
            if (!spoke.call_id.empty()) line["tool_use_id"] = spoke.call_id;
            if (!spoke.hook.empty()) line["hook"] = spoke.hook;
            if (!spoke.decision.empty()) line["decision"] = spoke.decision;
            line["text"] = spoke.text;
            put(line);
          },
          [&](const BatchHooked& hooked) {
            JsonObject line{{"type", "batch_hooks"}, {"new_messages", hooked.new_messages}};
            if (hooked.stop_after) line["stop_after"] = *hooked.stop_after;
            put(line);
          },
          [&](const Notice& notice) { put({{"type", "notice"}, {"text", notice.text}}); },
          [](const auto&) {},  // of turns with a model: there is none here; and what whoever asks us knows
      },
      event);
}

}  // namespace deft
