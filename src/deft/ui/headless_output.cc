#include "deft/ui/headless_output.h"

#include <utility>

#include "deft/agent/cancel_text.h"
#include "deft/agent/journal_branch.h"
#include "deft/base/overloaded.h"
#include "deft/base/terminal_text.h"
#include "deft/core/message_content.h"
#include "deft/core/message_json.h"
#include "deft/os/uuid.h"
#include "deft/ui/api_error.h"
#include "deft/ui/safe_display.h"

namespace deft {
namespace {

constexpr std::string_view kNoModel = "<synthetic>";  // the word that hosts know for it

std::string quoted_member(std::string_view name, std::string_view value) {
  return ",\"" + std::string(name) + "\":" + json_quote(value);
}

// Of a message as the API has it, what is not known of ours.
constexpr std::string_view kUnknownOfMessage =
    R"(,"stop_details":null,"container":null,"context_management":null,"diagnostics":null,"usage":)";

// Why an answer is not all that the model had to say; empty: it is.
std::string_view why_cut_off(std::string_view stop_reason) {
  if (stop_reason == "max_tokens") return "it has reached the largest number of tokens of one answer";
  if (stop_reason == "model_context_window_exceeded") return "the conversation has filled the model's context";
  return {};
}

// As the API has it: a text says also that it quotes nothing. An input that was no JSON object is shown as an empty
// one, for hosts that look into it, with what came beside it.
std::string block_for_host(const Block& block) {
  if (const auto* text = std::get_if<TextBlock>(&block); text && !text->extra.contains("citations")) {
    std::string shown = block_json(block);
    return shown.insert(shown.size() - 1, R"(,"citations":null)");
  }
  const auto* use = std::get_if<ToolUseBlock>(&block);
  if (!use || !use->call.invalid) return block_json(block);
  ToolUseBlock shown = *use;
  shown.extra["invalid"] = *use->call.invalid;
  shown.extra["input_text"] = use->call.input_text;
  shown.call.invalid.reset();
  shown.call.input_text = "{}";
  return block_json(shown);
}

}  // namespace

void HeadlessOutput::use_session(std::string id) {
  const std::lock_guard lock(mutex_);
  session_id_ = std::move(id);
}

void HeadlessOutput::tell_subagent_texts() {
  const std::lock_guard lock(mutex_);
  tells_subagent_texts_ = true;
}

void HeadlessOutput::begin_turn() {
  const std::lock_guard lock(mutex_);
  report_.begin();
  calls_made_.clear();
  results_.clear();
}

std::string HeadlessOutput::head(std::string_view type) const { return head(type, random_uuid()); }

std::string HeadlessOutput::head(std::string_view type, std::string_view uuid) const {
  return R"({"type":)" + json_quote(type) + quoted_member("uuid", uuid) + quoted_member("session_id", session_id_);
}

void HeadlessOutput::put_line(std::string line) {
  if (is_finished_) return;
  if (streams()) {
    writer_.put(std::move(line));
  } else if (keeps_lines()) {
    lines_.push_back(std::move(line));
  }
}

void HeadlessOutput::put(JsonObject line) {
  const std::lock_guard lock(mutex_);
  if (!wants_lines()) return;
  if (!line.contains("uuid")) line["uuid"] = random_uuid();
  line["session_id"] = session_id_;
  put_line(to_json(line));
}

void HeadlessOutput::put_raw(std::string line) {
  const std::lock_guard lock(mutex_);
  put_line(std::move(line));
}

void HeadlessOutput::notice(std::string_view text, std::string_view level) {
  if (streams()) {
    return put({{"type", "system"}, {"subtype", "informational"}, {"content", text}, {"level", level}});
  }
  errors_.put("deft: " + safe_display(text));
}

void HeadlessOutput::show(Event event) {
  for (Frontend* other : others_) other->show(event);
  {
    const std::lock_guard lock(mutex_);
    report_.note(event);
    note_message(event, main_);
  }
  std::visit(
      Overloaded{
          [&](const Notice& said) { said.text == kAbortNotice ? put_abort_notice() : notice(said.text); },
          [&](const HookSpoke& spoke) {
            if (spoke.kind == HookSpoke::Kind::system_message) notice(spoke.text);
            if (spoke.kind == HookSpoke::Kind::error_during_execution) {
              notice(std::string(to_string(spoke.event)) + " hook " + spoke.hook + ": " + spoke.text, "warning");
            }
          },
          [&](const RetryScheduled& retry) {
            const auto delay = std::chrono::duration_cast<std::chrono::milliseconds>(retry.delay).count();
            if (!streams()) {
              return notice("The model did not answer (" + retry.failure.message + "); asking again in " +
                            std::to_string(delay) + " ms.");
            }
            const auto status = api_error_status(retry.failure);
            put({{"type", "system"},
                 {"subtype", "api_retry"},
                 {"attempt", retry.failures},
                 {"max_retries", retry.retries_max},
                 {"retry_delay_ms", delay},
                 {"error_status", status ? Json(*status) : Json()},
                 {"error", api_error_word(retry.failure)}});
          },
          [&](const ModelSwitched& switched) {
            notice("From here on " + switched.to + " answers instead of " + switched.from + ": " + switched.why);
          },
          [&](const RawEventArrived& raw) {
            if (!streams() || !options_.partial_messages) return;
            const std::lock_guard lock(mutex_);
            put_line(head("stream_event") + ",\"parent_tool_use_id\":null,\"event\":" + raw.json + "}");
          },
          [&](const BlockCompleted& completed) {
            const std::lock_guard lock(mutex_);
            if (const auto* use = std::get_if<ToolUseBlock>(&completed.block)) {
              calls_made_.insert_or_assign(use->call.id, clock_.now());
            }
            if (wants_lines()) put_block(completed, main_);
          },
          [&](const CallAnswered& answered) {
            const std::lock_guard lock(mutex_);
            if (wants_lines()) put_result(answered, main_);
          },
          [&](const ResultsGiven& given) {
            const std::lock_guard lock(mutex_);
            if (wants_lines()) put_after_results(given.content);
          },
          [&](const CallProgressed& progressed) {
            if (!streams()) return;
            const std::lock_guard lock(mutex_);
            writer_.put_progress(progressed.call_id,
                                 head("tool_progress") + quoted_member("tool_use_id", progressed.call_id) +
                                     quoted_member("tool_name", report_.tool_of(progressed.call_id)) +
                                     ",\"parent_tool_use_id\":null,\"elapsed_time_seconds\":" +
                                     std::to_string(seconds_since_call(progressed.call_id)) + "}");
          },
          [&](const SubagentEvent& happened) { put_event_of(happened); },
          [&](const TaskBegan& begun) { put_task(begun); },
          [&](const TaskEnded& ended) { put_task(ended); },
          [&](const CompactionBegan&) { put({{"type", "system"}, {"subtype", "status"}, {"status", "compacting"}}); },
          [&](const CompactionDone& done) {
            put({{"type", "system"}, {"subtype", "status"}, {"status", Json()}});
            if (!done.problem.empty()) {
              return notice("The conversation was not compacted: " + done.problem, "warning");
            }
            put({{"type", "system"},
                 {"subtype", "compact_boundary"},
                 {"compact_metadata", JsonObject{{"trigger", done.trigger},
                                                 {"pre_tokens", done.tokens_before},
                                                 {"post_tokens", done.tokens_after}}}});
          },
          [](const auto&) {},
      },
      event);
}

// What a subagent says and does, under the call that started it.
void HeadlessOutput::put_event_of(const SubagentEvent& happened) {
  const Event& event = happened.what->event;
  if (const auto* said = std::get_if<Notice>(&event)) {
    if (said->text != kAbortNotice) notice(happened.agent_type + ": " + said->text);
    return;
  }
  const std::lock_guard lock(mutex_);
  if (!wants_lines()) return;
  Speaker& speaker = subagents_[happened.agent_id];
  speaker.parent_call_id = happened.parent_call_id;
  speaker.agent_id = happened.agent_id;
  note_message(event, speaker);
  if (const auto* completed = std::get_if<BlockCompleted>(&event)) put_block(*completed, speaker);
  if (const auto* answered = std::get_if<CallAnswered>(&event)) put_result(*answered, speaker);
  if (std::holds_alternative<TurnEnded>(event)) subagents_.erase(happened.agent_id);
}

std::string HeadlessOutput::parent_member(const Speaker& speaker) {
  if (speaker.parent_call_id.empty()) return ",\"parent_tool_use_id\":null";
  return quoted_member("parent_tool_use_id", speaker.parent_call_id) + quoted_member("agent_id", speaker.agent_id);
}

std::int64_t HeadlessOutput::seconds_since_call(const std::string& call_id) const {
  const auto made = calls_made_.find(call_id);
  if (made == calls_made_.end()) return 0;
  return std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - made->second).count();
}

// What is said of a message beside its blocks.
void HeadlessOutput::note_message(const Event& event, Speaker& speaker) {
  if (const auto* sent = std::get_if<RequestSent>(&event)) begin_message(*sent, speaker);
  if (const auto* began = std::get_if<MessageBegan>(&event)) speaker.request_id = began->request_id;
  if (const auto* discarded = std::get_if<MessageDiscarded>(&event); discarded && !discarded->kept) {
    speaker.superseded.insert(speaker.superseded.end(), speaker.lines.begin(), speaker.lines.end());
    speaker.lines.clear();
  }
  if (const auto* ended = std::get_if<TurnEnded>(&event); ended && wants_lines()) put_failure(ended->end, speaker);
}

void HeadlessOutput::begin_message(const RequestSent& sent, Speaker& speaker) {
  speaker.model = sent.model;
  speaker.message_id = "msg_" + random_uuid();
  speaker.request_id.clear();
  speaker.uuid = sent.uuid;
  speaker.blocks = speaker.calls = 0;
  speaker.lines.clear();
}

// Only what the model is handed back later can be gone back to.
std::string HeadlessOutput::uuid_of_block(const Block& block, Speaker& speaker) {
  const bool has_place = !speaker.uuid.empty() && speaker.blocks < kResultUuids;
  if (!has_place || !is_handed_back(block)) return random_uuid();
  if (const auto* use = std::get_if<ToolUseBlock>(&block)) {
    results_.insert_or_assign(use->call.id,
                              nth_uuid(speaker.uuid, static_cast<std::uint16_t>(kResultUuids + speaker.calls++)));
  }
  return nth_uuid(speaker.uuid, speaker.blocks++);
}

std::string HeadlessOutput::uuid_of_result(const std::string& call_id) {
  const auto known = results_.find(call_id);
  return known == results_.end() ? random_uuid() : std::move(results_.extract(known).mapped());
}

// Of a subagent its calls: what it says is for the agent that started it, and would be taken for the answer.
bool HeadlessOutput::is_told(const Block& block, const Speaker& speaker) const {
  if (speaker.agent_id.empty() || tells_subagent_texts_) return true;
  if (const auto* other = std::get_if<OtherBlock>(&block))
    return find_string(other->json, "type") != "redacted_thinking";
  return std::holds_alternative<ToolUseBlock>(block);
}

// One line for each block, as it is complete; the message's own end is not known yet.
void HeadlessOutput::put_block(const BlockCompleted& completed, Speaker& speaker) {
  const MessageHead& message = completed.message;
  // Of a provider that changes its mind about them, all blocks have what the first one had.
  if (speaker.lines.empty() && !message.id.empty()) speaker.message_id = message.id;
  if (speaker.lines.empty() && !message.model.empty()) speaker.model = message.model;
  std::string members = ",\"message\":{\"type\":\"message\",\"role\":\"assistant\"" +
                        quoted_member("id", speaker.message_id) + quoted_member("model", speaker.model) +
                        ",\"content\":[" + block_for_host(completed.block) +
                        R"(],"stop_reason":null,"stop_sequence":null)" + std::string(kUnknownOfMessage) +
                        to_json(messages_usage(message.usage)) + "}";
  if (!speaker.request_id.empty()) members += quoted_member("request_id", speaker.request_id);
  if (completed.is_cut_off) members += ",\"aborted\":true";
  const std::string uuid =
      uuid_of_block(completed.block, speaker);  // also of a block that is not told: they are counted
  if (is_told(completed.block, speaker)) put_assistant(uuid, members, speaker);
}

// Why there is no answer, as a message that no model has written.
void HeadlessOutput::put_failure(const TurnEnd& end, Speaker& speaker) {
  const bool is_of_model = end.reason == TurnReason::model_error || end.reason == TurnReason::prompt_too_long;
  if (!is_of_model || !end.failure) return;
  std::string members = ",\"message\":{\"type\":\"message\",\"role\":\"assistant\"" +
                        quoted_member("id", "msg_" + random_uuid()) + quoted_member("model", kNoModel) +
                        ",\"content\":[" + block_for_host(TextBlock{text_of_result(end)}) +
                        R"(],"stop_reason":"stop_sequence","stop_sequence":"")" + std::string(kUnknownOfMessage) +
                        to_json(messages_usage({})) + "}" + quoted_member("error", api_error_word(*end.failure));
  if (!end.failure->request_id.empty()) members += quoted_member("request_id", end.failure->request_id);
  put_assistant(random_uuid(), members, speaker);
}

void HeadlessOutput::put_assistant(const std::string& uuid, const std::string& members, Speaker& speaker) {
  std::string line = head("assistant", uuid) + parent_member(speaker) + members;
  if (!speaker.superseded.empty()) {
    line += ",\"supersedes\":" + to_json(JsonArray(speaker.superseded.begin(), speaker.superseded.end()));
    speaker.superseded.clear();
  }
  put_line(line + "}");
  speaker.lines.push_back(uuid);
}

void HeadlessOutput::put_result(const CallAnswered& answered, Speaker& speaker) {
  const std::string uuid = uuid_of_result(answered.call_id);
  speaker.lines.push_back(uuid);
  std::string line = head("user", uuid) + parent_member(speaker) + ",\"message\":{\"role\":\"user\",\"content\":[" +
                     result_block(answered.call_id, answered.result) + "]}";
  const Json& details = answered.result.details;
  line += ",\"tool_use_result\":" + (details.is_null() ? json_quote(answered.result.text) : to_json(details)) + "}";
  put_line(std::move(line));
  if (answered.result.error != Errc::denied) return;
  put_line(head("system") + R"(,"subtype":"permission_denied")" + quoted_member("tool_name", answered.tool) +
           quoted_member("tool_use_id", answered.call_id) + quoted_member("message", answered.result.text) + "}");
}

// What the model is told beside the results: by hooks, by the engine.
void HeadlessOutput::put_after_results(const std::string& content) {
  std::vector<std::string> blocks;
  for (const std::string_view block : raw_elements(content)) {
    const auto type = raw_member(block, "type");
    if (type != "\"tool_result\"") blocks.emplace_back(block);
  }
  if (blocks.empty()) return;
  const std::string uuid = main_.uuid.empty() ? random_uuid() : nth_uuid(main_.uuid, kAfterResultsUuid);
  put_line(head("user", uuid) + R"(,"parent_tool_use_id":null,"isSynthetic":true,"message":{"role":"user","content":)" +
           content_of(blocks) + "}}");
}

// Words to the model: whoever interrupted it knows.
void HeadlessOutput::put_abort_notice() {
  const std::lock_guard lock(mutex_);
  if (!wants_lines()) return;
  put_line(head("user") + R"(,"parent_tool_use_id":null,"isSynthetic":true,"message":{"role":"user","content":)" +
           content_of({text_block(kAbortNotice)}) + "}}");
}

HeadlessOutput::Durations HeadlessOutput::durations() {
  const std::lock_guard lock(mutex_);
  return durations_;
}

JsonObject HeadlessOutput::model_usage(const ReportedSession& session) {
  const std::lock_guard lock(mutex_);
  return report_.model_usage(session);
}

void HeadlessOutput::startup_failed(const std::string& why) {
  errors_.put("deft: " + safe_display(why, LineEnds::kept));
  const std::lock_guard lock(mutex_);
  if (options_.format == OutputFormat::text) return;
  const std::string line = to_json(startup_failure(why, random_uuid(), random_uuid()));
  wants_lines() ? put_line(line) : writer_.put(line);
}

void HeadlessOutput::end_turn(const TurnEnd& end, ReportedSession session) {
  const std::lock_guard lock(mutex_);
  durations_.of_turns += end.duration;
  durations_.of_models += end.model_duration;
  if (options_.format != OutputFormat::text) {
    // What a command like /cost says is in no message of a model's.
    const bool is_of_command = end.reason == TurnReason::completed && end.requests == 0 && !end.text.empty();
    if (is_of_command) put_system("local_command_output", {{"content", end.text}});
    session.results_before = results_told_++;
    const std::string line = to_json(report_.result(end, session, random_uuid()));
    if (streams() || keeps_lines()) return put_line(line);
    return writer_.put(line);
  }
  const TurnMeaning meaning = meaning_of(end);
  const bool is_answer = meaning.subtype == "success" && !meaning.is_error;
  const std::string text = text_of_result(end);
  if (is_answer) {
    put_text(text);
    const std::string_view cut_off = why_cut_off(end.stop_reason);
    if (!cut_off.empty()) errors_.put("deft: the answer ends early: " + std::string(cut_off));
    return;
  }
  // What was said so far is still worth reading; why it is not more is no part of it.
  if (!end.text.empty() && end.text != text) put_text(end.text);
  errors_.put("deft: " + safe_display(text, LineEnds::kept));
}

void HeadlessOutput::put_text(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (!options_.to_terminal) return writer_.put(std::string(text));
  TerminalText cleaned;
  std::string out;
  cleaned.feed(text, out);
  writer_.put(out + std::string(cleaned.pending()));
}

// The last word: what runs on in the background is not heard any more.
void HeadlessOutput::put_kept_lines() {
  const std::lock_guard lock(mutex_);
  is_finished_ = true;
  if (!keeps_lines() || lines_.empty()) return;
  std::string all = "[";
  for (const std::string& line : std::exchange(lines_, {})) all += (all.size() > 1 ? "," : "") + line;
  writer_.put(all + "]");
}

void HeadlessOutput::finish() {
  put_kept_lines();
  writer_.finish();
  errors_.finish();
}

bool HeadlessOutput::finish_within(Duration at_most) {
  put_kept_lines();
  const bool is_written = writer_.finish_within(at_most);
  return errors_.finish_within(at_most) && is_written;
}

}  // namespace deft
