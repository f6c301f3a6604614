#include "deft/core/hook_answer.h"

#include <algorithm>
#include <utility>

#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/core/hook_answer_json.h"
#include "deft/core/hook_config.h"

namespace deft {
namespace {

constexpr int kExitBlock = 2;
constexpr std::string_view kBlanks = " \t\r\n\f\v";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string first_line(std::string_view text) {
  text = trimmed(text);
  return one_line(text.substr(0, text.find('\n')), kHookErrorLineCharactersMax);
}

Result<Json> parse_output(std::string_view text) {
  return parse_json(text, {.bytes_max = kHookOutputBytesMax, .replace_lone_surrogates = true});
}

// What it printed, read once.
struct Printed {
  std::string_view text;
  bool looks_like_json = false;
  std::optional<HookAnswer> answer = std::nullopt;  // if it is JSON
};

Printed read_output(HookEvent event, const HookEnd& end) {
  Printed printed{.text = trimmed(end.output)};
  printed.looks_like_json = printed.text.starts_with('{');
  if (!printed.looks_like_json || end.output_cut) return printed;
  if (const auto json = parse_output(printed.text)) printed.answer = answer_of_json(event, *json);
  return printed;
}

// Exit code 2: `answer` is what it said beside that, which may add to it but takes nothing back.
HookAnswer blocked(HookEvent event, HookAnswer answer, std::string why) {
  if (why.empty()) why = "Blocked by a hook that gave no reason.";
  answer.updated_input.reset();
  answer.updated_output.reset();
  answer.updated_mcp_output.reset();
  answer.retry = false;
  if (answer.permission && answer.permission->allow) answer.permission.reset();
  answer.end = HookReport::End::blocked;
  answer.error = first_line(why);
  if (!can_be_blocked(event)) {
    answer.end = HookReport::End::failed;  // shown to the user, and that is all
    return answer;
  }
  if (event == HookEvent::pre_tool_use) {
    if (answer.verdict != HookVerdict::deny || answer.reason.empty()) answer.reason = std::move(why);
    answer.verdict = HookVerdict::deny;
    return answer;
  }
  if (!answer.blocks || answer.block_reason.empty()) answer.block_reason = std::move(why);
  answer.blocks = true;
  if (event == HookEvent::post_tool_batch && !answer.stops) {
    answer.stops = true;
    answer.stop_reason = answer.block_reason;
  }
  return answer;
}

std::string why_it_did_not_end(const HookEnd& end) {
  const std::string detail = end.detail.empty() ? "" : ": " + end.detail;
  switch (end.how) {
    case HookEnd::How::crashed: return "It crashed" + detail;
    case HookEnd::How::timed_out: return "It took too long and was ended" + detail;
    case HookEnd::How::not_started: return "It could not be started" + detail;
    case HookEnd::How::exited:
    case HookEnd::How::cancelled: break;
  }
  return "It was cancelled";
}

std::string why_it_failed(const HookEnd& end) {
  const std::string errors = first_line(end.errors);
  return "It ended with exit code " + std::to_string(end.exit_code) + (errors.empty() ? "" : ": " + errors);
}

std::string last_line(std::string_view text) {
  const std::string_view all = trimmed(text);
  const std::size_t newline = all.rfind('\n');
  return std::string(trimmed(newline == std::string_view::npos ? all : all.substr(newline + 1)));
}

HookAnswer with_plain_text(HookEvent event, const Printed& printed, const HookEnd& end, bool blocks_on_failure) {
  if (printed.looks_like_json && blocks_on_failure) {
    return answer_of_failure(event, "What it printed begins like JSON and is none", true);
  }
  HookAnswer answer;
  if (takes_text_as_context(event)) {
    answer.context = to_valid_utf8(printed.text);
    if (end.output_cut) answer.context += "\n[what the hook printed was longer and was cut here]";
  } else if (event == HookEvent::worktree_create && !printed.looks_like_json) {
    answer.worktree_path = last_line(printed.text);
  } else if (printed.looks_like_json) {
    answer.end = HookReport::End::failed;  // it meant to say something: people should know
    answer.error = end.output_cut ? "It printed more than " + human_bytes(kHookOutputBytesMax)
                                  : "What it printed begins like JSON and is none";
  }
  return answer;
}

}  // namespace

bool can_be_blocked(HookEvent event) {
  switch (event) {
    case HookEvent::pre_tool_use:
    case HookEvent::post_tool_use:
    case HookEvent::post_tool_use_failure:
    case HookEvent::post_tool_batch:
    case HookEvent::user_prompt_submit:
    case HookEvent::stop:
    case HookEvent::subagent_stop:
    case HookEvent::pre_compact:
    case HookEvent::user_prompt_expansion:
    case HookEvent::task_created:
    case HookEvent::task_completed:
    case HookEvent::config_change: return true;
    case HookEvent::permission_request:
    case HookEvent::permission_denied:
    case HookEvent::notification:
    case HookEvent::subagent_start:
    case HookEvent::post_compact:
    case HookEvent::session_start:
    case HookEvent::worktree_create:
    case HookEvent::worktree_remove:
    case HookEvent::directory_added:
    case HookEvent::session_end: return false;
  }
  return false;
}

HookAnswer answer_of_failure(HookEvent event, std::string_view why, bool blocks_on_failure) {
  // Whoever is told of the block knows of no hook: "it" would be the call or the prompt to them.
  if (blocks_on_failure && can_be_blocked(event)) {
    return blocked(event, {}, "The hook that was asked about it did not work: " + std::string(why));
  }
  return {.end = HookReport::End::failed, .error = one_line(why, kHookErrorLineCharactersMax)};
}

HookAnswer answer_of_program(HookEvent event, const HookEnd& end, bool blocks_on_failure) {
  if (end.how == HookEnd::How::cancelled) return {.end = HookReport::End::cancelled, .error = "It was cancelled"};
  if (end.how != HookEnd::How::exited) return answer_of_failure(event, why_it_did_not_end(end), blocks_on_failure);

  Printed printed = read_output(event, end);
  if (end.exit_code == kExitBlock) {
    HookAnswer said = std::move(printed.answer).value_or(HookAnswer{});
    // The reason of an "allow" is none for a denial.
    const bool has_own_reason = said.blocks || said.verdict == HookVerdict::deny;
    if (!has_own_reason) said.reason.clear();
    if (said.verdict != HookVerdict::deny) said.verdict.reset();
    return blocked(event, std::move(said), to_valid_utf8(trimmed(end.errors)));
  }
  if (printed.answer) {
    const bool is_invalid = printed.answer->end == HookReport::End::failed;
    if (!is_invalid || !blocks_on_failure) return std::move(*printed.answer);
    std::string why = printed.answer->error;
    return blocked(event, std::move(*printed.answer), std::move(why));
  }
  if (end.exit_code != 0) return answer_of_failure(event, why_it_failed(end), blocks_on_failure);
  return with_plain_text(event, printed, end, blocks_on_failure);
}

HookAnswer answer_of_http(HookEvent event, int status, std::string_view body, bool blocks_on_failure) {
  if (status < 200 || status > 299) {
    return answer_of_failure(event, "The server answered with status " + std::to_string(status), blocks_on_failure);
  }
  const std::string_view text = trimmed(body);
  if (text.empty()) return {};
  const auto json = parse_output(text);
  if (!json || !json->is_object()) {
    return answer_of_failure(event, "The server's answer is not a JSON object", blocks_on_failure);
  }
  HookAnswer answer = answer_of_json(event, *json);
  if (answer.end != HookReport::End::failed || !blocks_on_failure) return answer;
  std::string why = answer.error;
  return blocked(event, std::move(answer), std::move(why));
}

HookAnswer answer_of_model(HookEvent event, std::string_view reply, bool continue_on_block, bool blocks_on_failure) {
  const auto json = parse_output(trimmed(reply));
  const auto ok = json ? find_bool(*json, "ok") : std::nullopt;
  if (!ok) return answer_of_failure(event, "The model's reply is not {\"ok\": …}", blocks_on_failure);
  if (*ok || event == HookEvent::permission_request) return {};
  HookAnswer answer = blocked(event, {}, std::string(find_string(*json, "reason").value_or("")));
  const bool means_to_go_on = event == HookEvent::stop || event == HookEvent::subagent_stop;
  if (!continue_on_block && !means_to_go_on && answer.end == HookReport::End::blocked) {
    answer.stops = true;
    answer.stop_reason = answer.verdict ? answer.reason : answer.block_reason;
  }
  return answer;
}

bool asks_for_background(std::string_view first) {
  const std::string_view text = trimmed(first);
  if (!text.starts_with('{')) return false;
  const auto json = parse_output(text);
  return json && find_bool(*json, "async").value_or(false);
}

std::optional<Duration> background_time(std::string_view first) {
  const auto json = parse_output(trimmed(first));
  const auto milliseconds = json ? find_number(*json, "asyncTimeout") : std::nullopt;
  if (!milliseconds || !(*milliseconds > 0)) return std::nullopt;
  const double most = std::chrono::duration<double, std::milli>(kHookTimeoutMax).count();
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(std::min(*milliseconds, most)));
}

}  // namespace deft
