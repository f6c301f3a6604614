#include "deft/agent/event_line.h"

#include <chrono>
#include <string_view>
#include <utility>

#include "deft/base/overloaded.h"
#include "deft/base/utf8.h"
#include "deft/core/message_json.h"
#include "deft/core/token_use.h"

namespace deft {
namespace {

constexpr std::size_t kLookedBeyondCharacters =
    2'000;  // of a text that is cut: how long a secret across its end may be

double in_ms(std::chrono::nanoseconds time) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(time).count()) / 1e3;
}

JsonArray array_of(const std::vector<std::string>& texts) {
  JsonArray array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

class LineMaker {
 public:
  explicit LineMaker(const SecretMask& mask) : mask_(mask) {}

  JsonObject operator()(const CallAdmitted& admitted) const {
    return {
        {"type", "call"}, {"tool_use_id", admitted.call_id}, {"name", admitted.tool}, {"title", text(admitted.title)}};
  }
  JsonObject operator()(const CallProgressed& progressed) const {
    return {{"type", "progress"}, {"tool_use_id", progressed.call_id}, {"data", json(progressed.data)}};
  }
  JsonObject operator()(const CallAnswered& answered) const {
    const ToolResult& result = answered.result;
    JsonObject line{{"type", "result"},
                    {"tool_use_id", answered.call_id},
                    {"name", answered.tool},
                    {"is_error", result.is_error()},
                    {"duration_ms", in_ms(answered.duration)},
                    {"characters", count_characters(result.text)},
                    {"content", text(result.text)}};
    if (result.is_error()) line["code"] = to_string(*result.error);
    if (result.stored && !result.stored->path.empty()) {
      line["stored"] = JsonObject{{"path", result.stored->path}, {"bytes", result.stored->bytes}};
    }
    if (result.stop_after) line["stop_after"] = text(*result.stop_after);
    return line;
  }
  JsonObject operator()(const StageEnded& ended) const {
    JsonObject line{{"type", "stage"},
                    {"tool_use_id", ended.call_id},
                    {"stage", ended.stage},
                    {"outcome", ended.outcome},
                    {"duration_ms", in_ms(ended.duration)}};
    if (!ended.detail.empty()) line["detail"] = text(ended.detail);
    return line;
  }
  JsonObject operator()(const ProgressChanged& changed) const {
    return {{"type", "in_progress"},
            {"started", array_of(changed.started)},
            {"ended", array_of(changed.ended)},
            {"count", changed.in_progress},
            {"can_interrupt", changed.can_interrupt}};
  }

  JsonObject operator()(const PermissionAsked& asked) const {
    JsonObject line{{"type", "prompt"},
                    {"id", asked.id},
                    {"kind", to_string(asked.kind)},
                    {"tool_use_id", asked.call.id},
                    {"name", asked.call.name},
                    {"title", text(asked.title)},
                    {"input", json(asked.call.input)},
                    {"reason", text(asked.decision.reason)},
                    {"stage", to_string(asked.decision.stage)},
                    {"destructive", asked.is_destructive}};
    if (!asked.decision.rule.empty()) line["rule"] = asked.decision.rule;
    if (!asked.agent_id.empty()) line["agent_id"] = asked.agent_id;
    return line;
  }
  JsonObject operator()(const ServerAsked& asked) const {
    return {{"type", "prompt"},
            {"id", asked.id},
            {"kind", to_string(asked.kind)},
            {"server", asked.server},
            {"message", text(asked.message)}};
  }
  JsonObject operator()(const PermissionWithdrawn& withdrawn) const {
    return {{"type", "prompt_withdrawn"}, {"id", withdrawn.id}};
  }
  JsonObject operator()(const ServerAskWithdrawn& withdrawn) const {
    return {{"type", "prompt_withdrawn"}, {"id", withdrawn.id}};
  }
  JsonObject operator()(const PromptAnswered& answered) const {
    return {{"type", "prompt_answered"}, {"id", answered.id}};
  }
  JsonObject operator()(const PromptChanged& changed) const {
    JsonObject line = std::visit(*this, changed.now);
    line["type"] = "prompt_changed";
    return line;
  }

  JsonObject operator()(const HostCallMade& made) const {
    return {{"type", "host_call"},
            {"tool_use_id", made.call.id},
            {"name", made.call.name},
            {"input", json(made.call.input)}};
  }
  JsonObject operator()(const HostCallWithdrawn& withdrawn) const {
    return {{"type", "host_call_withdrawn"}, {"tool_use_id", withdrawn.call_id}};
  }
  JsonObject operator()(const MessageDiscarded& discarded) const {
    return {{"type", "discarded"}, {"kept", discarded.kept}, {"calls", discarded.calls}};
  }
  JsonObject operator()(const HookSpoke& spoke) const {
    JsonObject line{{"type", to_string(spoke.kind)}, {"event", to_string(spoke.event)}, {"text", text(spoke.text)}};
    if (!spoke.call_id.empty()) line["tool_use_id"] = spoke.call_id;
    if (!spoke.hook.empty()) line["hook"] = text(spoke.hook);
    if (!spoke.decision.empty()) line["decision"] = spoke.decision;
    return line;
  }
  JsonObject operator()(const BatchHooked& hooked) const {
    JsonObject line{{"type", "batch_hooks"}, {"new_messages", json(hooked.new_messages)}};
    if (hooked.stop_after) line["stop_after"] = text(*hooked.stop_after);
    return line;
  }
  JsonObject operator()(const Notice& notice) const { return {{"type", "notice"}, {"text", text(notice.text)}}; }

  JsonObject operator()(const TurnBegan&) const { return {{"type", "turn_began"}}; }
  JsonObject operator()(const PromptGiven& given) const {
    return {{"type", "user_prompt"}, {"content", content(given.content)}};
  }
  JsonObject operator()(const RequestSent& sent) const {
    return {{"type", "request"}, {"model", sent.model}, {"attempt", sent.attempt}, {"stream", sent.stream}};
  }
  JsonObject operator()(const MessageBegan& began) const {
    return {{"type", "message_began"}, {"request_id", began.request_id}};
  }
  JsonObject operator()(const TextArrived& arrived) const {
    return {{"type", "text_delta"}, {"characters", count_characters(arrived.text)}};
  }
  JsonObject operator()(const ThinkingArrived& arrived) const {
    return {{"type", "thinking_delta"}, {"characters", count_characters(arrived.text)}};
  }
  JsonObject operator()(const RawEventArrived& arrived) const {
    return {{"type", "provider_event"}, {"bytes", arrived.json.size()}};
  }
  JsonObject operator()(const BlockCompleted& completed) const {
    return {{"type", "block"}, {"block", content("[" + block_json(completed.block) + "]")}};
  }
  JsonObject operator()(const MessageCompleted& completed) const {
    const TokenUse use = token_use(completed.message.usage);
    return {{"type", "message"},
            {"model", completed.message.model},
            {"stop_reason", completed.message.stop_reason},
            {"whole", completed.how == MessageCompleted::How::whole},
            {"input_tokens", use.prompt()},
            {"output_tokens", use.output}};
  }
  JsonObject operator()(const ResultsGiven& given) const {
    return {{"type", "results_given"}, {"bytes", given.content.size()}};
  }
  JsonObject operator()(const RetryScheduled& scheduled) const {
    return {{"type", "retry"},
            {"failures", scheduled.failures},
            {"retries_max", scheduled.retries_max},
            {"delay_ms", in_ms(scheduled.delay)},
            {"message", text(scheduled.failure.message)}};
  }
  JsonObject operator()(const ModelSwitched& switched) const {
    return {{"type", "model_switched"}, {"from", switched.from}, {"to", switched.to}, {"why", text(switched.why)}};
  }
  JsonObject operator()(const StopHooksRan& ran) const {
    return {{"type", "stop_hook_summary"}, {"summary", json(ran.summary)}};
  }
  JsonObject operator()(const TurnEnded& ended) const {
    JsonObject line{{"type", "turn_ended"},
                    {"reason", to_string(ended.end.reason)},
                    {"requests", ended.end.requests},
                    {"duration_ms", in_ms(ended.end.duration)},
                    {"model_ms", in_ms(ended.end.model_duration)}};
    if (!ended.end.explanation.empty()) line["explanation"] = text(ended.end.explanation);
    return line;
  }
  JsonObject operator()(const TaskBegan& began) const {
    return {{"type", "task_began"},
            {"id", began.id},
            {"tool_use_id", began.call_id},
            {"task_type", began.type},
            {"description", text(began.description)}};
  }
  JsonObject operator()(const TaskEnded& ended) const {
    return {{"type", "task_ended"},
            {"id", ended.id},
            {"tool_use_id", ended.call_id},
            {"status", ended.status},
            {"summary", text(ended.summary)}};
  }
  // The event itself, and whose it is.
  JsonObject operator()(const SubagentEvent& wrapped) const {
    JsonObject line = std::visit(*this, wrapped.what->event);
    line["agent_id"] = wrapped.agent_id;
    line["agent_type"] = wrapped.agent_type;
    line["parent_tool_use_id"] = wrapped.parent_call_id;
    return line;
  }
  // Whatever comes to be an event later is at least named.
  template <class Other>
  JsonObject operator()(const Other&) const {
    return {{"type", "other"}};
  }

 private:
  // Masked before it is cut: the beginning of a secret does not look like one.
  std::string text(std::string_view words) const {
    const std::string_view shown = first_characters(words, kEventTextCharactersMax);
    std::string out = mask_.masked(first_characters(words, kEventTextCharactersMax + kLookedBeyondCharacters));
    if (shown.size() == words.size()) return out;
    out.resize(first_characters(out, kEventTextCharactersMax).size());
    return out + "… (" + std::to_string(words.size() - shown.size()) + " bytes more)";
  }
  Json json(const Json& value) const {
    Json masked = mask_.masked_json(value);
    std::string whole = to_json(masked);
    return whole.size() <= 4 * kEventTextCharactersMax ? masked : Json(text(whole));
  }
  // JSON text of ours.
  Json content(const std::string& json_text) const {
    const auto parsed = parse_json(json_text);
    return parsed ? json(*parsed) : Json(text(json_text));
  }

  const SecretMask& mask_;
};

}  // namespace

std::string event_line(const Event& event, std::int64_t time_ms, const SecretMask& mask) {
  JsonObject line = std::visit(LineMaker(mask), event);
  line["time_ms"] = time_ms;
  return to_json(line);
}

}  // namespace deft
