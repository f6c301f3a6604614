#include "deft/ui/turn_report.h"

#include <chrono>

#include "deft/base/overloaded.h"
#include "deft/core/token_use.h"
#include "deft/ui/api_error.h"

namespace deft {
namespace {

std::int64_t milliseconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

std::uint64_t count_in(const Json& usage, std::string_view part, std::string_view key) {
  const Json* counts = find(usage, part);
  const auto count = counts ? find_int(*counts, key) : std::nullopt;
  return count && *count > 0 ? static_cast<std::uint64_t>(*count) : 0;
}

// The API's word, but where it would tell callers to expect more: an answer that is given by a call ends the turn.
Json stop_reason_of(const TurnEnd& end) {
  if (end.reason == TurnReason::tool_deferred) return "tool_deferred";
  if (end.reason == TurnReason::completed && end.structured_output) return "end_turn";
  return end.stop_reason.empty() ? Json() : Json(end.stop_reason);
}

}  // namespace

TurnMeaning meaning_of(const TurnEnd& end) {
  switch (end.reason) {
    case TurnReason::completed: return {"success", false, "completed"};
    case TurnReason::max_turns: return {"error_max_turns", true, "max_turns"};
    case TurnReason::budget_exhausted: return {"error_max_budget_usd", true, "budget_exhausted"};
    case TurnReason::aborted_streaming: return {"error_during_execution", true, "aborted_streaming"};
    case TurnReason::aborted_tools: return {"error_during_execution", true, "aborted_tools"};
    case TurnReason::hook_stopped: return {"success", false, "hook_stopped"};
    case TurnReason::prompt_blocked: return {"error_during_execution", true, "hook_stopped"};
    case TurnReason::refusal: return {"success", true, "completed"};
    case TurnReason::prompt_too_long: return {"success", true, "prompt_too_long"};
    case TurnReason::model_error: {
      const bool has_answered = end.failure && end.failure->kind == ModelFailure::Kind::status;
      return {"success", true, has_answered ? "api_error" : "model_error"};
    }
    case TurnReason::structured_output_failed:
      return {"error_max_structured_output_retries", true, "structured_output_retry_exhausted"};
    case TurnReason::tool_deferred: return {"success", false, "tool_deferred"};
    case TurnReason::tool_deferred_unavailable: return {"success", true, "tool_deferred_unavailable"};
  }
  return {"error_during_execution", true, "model_error"};
}

std::string text_of_result(const TurnEnd& end) {
  switch (end.reason) {
    case TurnReason::completed:
      if (end.structured_output) return to_json(*end.structured_output);
      return end.text;
    case TurnReason::max_turns: return "Reached the largest number of turns (--max-turns) before the work was done.";
    case TurnReason::budget_exhausted: return "The budget (--max-budget-usd) is used up.";
    case TurnReason::aborted_streaming:
    case TurnReason::aborted_tools: return "Interrupted.";
    case TurnReason::refusal:
      if (!end.text.empty()) return end.text;
      return end.explanation.empty() ? "The model declined to answer."
                                     : "The model declined to answer: " + end.explanation;
    case TurnReason::prompt_too_long: return "The conversation is too long for the model: " + end.explanation;
    case TurnReason::model_error: return "API Error: " + end.explanation;
    case TurnReason::hook_stopped:
    case TurnReason::prompt_blocked:
    case TurnReason::structured_output_failed:
    case TurnReason::tool_deferred_unavailable: return end.explanation.empty() ? end.text : end.explanation;
    case TurnReason::tool_deferred: return end.text;
  }
  return end.text;
}

void TurnReport::FurtherUse::add(const Json& usage) {
  searches += count_in(usage, "server_tool_use", "web_search_requests");
  fetches += count_in(usage, "server_tool_use", "web_fetch_requests");
  thinking += count_in(usage, "output_tokens_details", "thinking_tokens") +
              count_in(usage, "output_tokens_details", "reasoning_tokens") +
              count_in(usage, "completion_tokens_details", "reasoning_tokens");
  written_for_minutes += count_in(usage, "cache_creation", "ephemeral_5m_input_tokens");
  written_for_an_hour += count_in(usage, "cache_creation", "ephemeral_1h_input_tokens");
  if (const auto word = find_string(usage, "service_tier")) service_tier = *word;
  if (const auto word = find_string(usage, "speed")) speed = *word;
  if (const auto word = find_string(usage, "inference_geo")) place = *word;
}

void TurnReport::begin() {
  use_ = {};
  further_ = {};
  calls_.clear();
  denials_.clear();
}

void TurnReport::note(const Event& event) {
  std::visit(Overloaded{
                 [&](const RequestSent& sent) { model_ = sent.model; },
                 [&](const BlockCompleted& completed) {
                   const auto* use = std::get_if<ToolUseBlock>(&completed.block);
                   if (!use) return;
                   const ToolCall& call = use->call;
                   calls_.insert_or_assign(
                       call.id, Call{call.name, call.input_text.empty() ? to_json(call.input) : call.input_text});
                 },
                 [&](const CallAnswered& answered) {
                   if (answered.result.error != Errc::denied) return;
                   const auto call = calls_.find(answered.call_id);
                   auto input = parse_json(call == calls_.end() ? "{}" : call->second.input);
                   denials_.push_back(JsonObject{{"tool_name", answered.tool},
                                                 {"tool_use_id", answered.call_id},
                                                 {"tool_input", input ? std::move(*input) : Json(JsonObject{})}});
                 },
                 [&](const MessageCompleted& completed) {
                   const Json& usage = completed.message.usage;
                   use_ += token_use(usage);
                   further_.add(usage);
                   searches_by_model_[model_] += count_in(usage, "server_tool_use", "web_search_requests");
                 },
                 [](const auto&) {},
             },
             event);
}

std::string TurnReport::tool_of(const std::string& call_id) const {
  const auto call = calls_.find(call_id);
  return call == calls_.end() ? "" : call->second.tool;
}

JsonObject TurnReport::usage() const {
  return {{"input_tokens", use_.input},
          {"cache_creation_input_tokens", use_.cache_write},
          {"cache_read_input_tokens", use_.cache_read},
          {"output_tokens", use_.output},
          {"cache_creation", JsonObject{{"ephemeral_5m_input_tokens", further_.written_for_minutes},
                                        {"ephemeral_1h_input_tokens", further_.written_for_an_hour}}},
          {"output_tokens_details", JsonObject{{"thinking_tokens", further_.thinking}}},
          {"server_tool_use",
           JsonObject{{"web_search_requests", further_.searches}, {"web_fetch_requests", further_.fetches}}},
          {"service_tier", further_.service_tier},
          {"speed", further_.speed},
          {"inference_geo", further_.place},
          {"iterations", JsonArray{}},
          {"fallback_credit", Json()}};
}

JsonObject TurnReport::model_usage(const ReportedSession& session) const {
  JsonObject models;
  for (const auto& [model, use] : session.usage.by_model) {
    const ModelPrice* price = session.prices.of(model);
    const auto searches = searches_by_model_.find(model);
    models[model] = JsonObject{
        {"inputTokens", use.input},
        {"outputTokens", use.output},
        {"cacheReadInputTokens", use.cache_read},
        {"cacheCreationInputTokens", use.cache_write},
        {"webSearchRequests", searches == searches_by_model_.end() ? std::uint64_t{0} : searches->second},
        {"costUSD", price ? cost_of(*price, use) : 0.0},
        {"contextWindow", price ? price->context_window.value_or(session.window_tokens) : session.window_tokens},
        {"maxOutputTokens", session.output_tokens_max}};
  }
  return models;
}

JsonObject TurnReport::result(const TurnEnd& end, const ReportedSession& session, std::string_view uuid) const {
  const TurnMeaning meaning = meaning_of(end);
  JsonObject line{{"type", "result"},
                  {"subtype", meaning.subtype},
                  {"is_error", meaning.is_error},
                  {"duration_ms", milliseconds(end.duration)},
                  {"duration_api_ms", milliseconds(end.model_duration)},
                  {"num_turns", end.requests}};
  if (meaning.subtype == "success") {
    line["result"] = text_of_result(end);
  } else {
    line["errors"] = JsonArray{Json(text_of_result(end))};
  }
  line["stop_reason"] = stop_reason_of(end);
  line["session_id"] = session.id;
  line["total_cost_usd"] = session.usage.cost;
  line["usage"] = usage();
  line["modelUsage"] = model_usage(session);
  line["permission_denials"] = denials_;
  if (end.structured_output) line["structured_output"] = *end.structured_output;
  if (end.deferred) {
    line["deferred_tool_use"] =
        JsonObject{{"id", end.deferred->id}, {"name", end.deferred->name}, {"input", end.deferred->input}};
  }
  if (end.failure && meaning.is_error) {
    if (const auto status = api_error_status(*end.failure)) line["api_error_status"] = *status;
  }
  line["terminal_reason"] = meaning.terminal_reason;
  if (session.queued_turns) line["queued_turn_count"] = *session.queued_turns;
  if (session.results_before) line["result_index"] = *session.results_before;
  if (!session.messages.empty()) {
    line["user_message_uuid"] = session.messages.front();
    line["user_message_uuids"] = JsonArray(session.messages.begin(), session.messages.end());
  }
  line["uuid"] = uuid;
  return line;
}

JsonObject startup_failure(std::string_view why, std::string_view session_id, std::string_view uuid) {
  const SessionUsage none;
  const PriceSettings no_prices;
  TurnEnd end{.reason = TurnReason::model_error};
  JsonObject line = TurnReport().result(end, {.id = std::string(session_id), .usage = none, .prices = no_prices}, uuid);
  line["subtype"] = "error_during_execution";
  line.stable_erase(line.find("result"));
  line["errors"] = JsonArray{Json(why)};
  line["terminal_reason"] = "turn_setup_failed";
  return line;
}

}  // namespace deft
