#include "deft/model/script.h"

#include <algorithm>

#include "deft/model/event_json.h"

namespace deft {
namespace {

std::unexpected<Error> wrong(std::string what) { return fail(Errc::invalid_input, std::move(what)); }

Result<Duration> read_milliseconds(const Json& json, std::string_view key) {
  const auto number = find_number(json, key);
  const double most = std::chrono::duration<double, std::milli>(kScriptDelayMax).count();
  if (!number || *number < 0 || *number > most) {
    return wrong(std::string(key) + " is a number of milliseconds, an hour at most");
  }
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(*number));
}

// Keys that nobody reads are slips of the writer.
Result<void> check_keys(const Json& json, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : json.get_object()) {
    const std::string_view name(key.data(), key.size());
    if (std::find(known.begin(), known.end(), name) == known.end()) return wrong("unknown key " + json_quote(name));
  }
  return {};
}

Result<ScriptStep> read_call(const Json& json, std::string_view text) {
  if (auto checked = check_keys(json, {"call", "id", "input", "input_text"}); !checked) {
    return std::unexpected(checked.error());
  }
  ToolUseBlock use;
  use.call.name = string_or_empty(json, "call");
  use.call.id = string_or_empty(json, "id");
  const Json* input = find(json, "input");
  if (const auto raw = find_string(json, "input_text")) {
    use.call.input_text = *raw;
    auto parsed = parse_json(*raw);
    if (parsed && parsed->is_object()) {
      use.call.input = std::move(*parsed);
    } else {
      use.call.invalid = "the input is not usable JSON";
    }
  } else if (!input) {
    use.call.input = JsonObject();
    use.call.input_text = "{}";
  } else if (!input->is_object()) {
    return wrong("the input of a call is an object; what is none stands in input_text");
  } else {
    use.call.input = *input;
    use.call.input_text = raw_at(text, {"input"}).value_or(std::string_view("{}"));
  }
  return ScriptStep(Block(std::move(use)));
}

Result<ScriptStep> read_step(const Json& json, std::string_view text) {
  if (json.is_string()) return ScriptStep(Block(TextBlock{std::string(view(json.get_string())), {}}));
  if (!json.is_object()) return wrong("a step of an answer is an object or a text");
  if (find_string(json, "call")) return read_call(json, text);
  if (const auto said = find_string(json, "text")) return ScriptStep(Block(TextBlock{std::string(*said), {}}));
  if (const auto thought = find_string(json, "thinking")) {
    return ScriptStep(Block(ThinkingBlock{std::string(*thought), string_or_empty(json, "signature"), {}}));
  }
  if (const Json* block = find(json, "block"); block && block->is_object()) {
    return ScriptStep(Block(OtherBlock{*block}));
  }
  if (find(json, "delay_ms")) {
    const auto delay = read_milliseconds(json, "delay_ms");
    if (!delay) return std::unexpected(delay.error());
    return ScriptStep(ScriptPause{*delay});
  }
  if (const auto why = find_string(json, "break")) return ScriptStep(ScriptBreak{std::string(*why)});
  if (const Json* error = find(json, "error"); error && error->is_object()) {
    return ScriptStep(ScriptError{string_or_empty(*error, "type"), string_or_empty(*error, "message")});
  }
  return wrong("a step has one of text, thinking, call, block, delay_ms, break, error");
}

Result<ModelFailure> read_failure(const Json& json) {
  if (auto checked = check_keys(json, {"status", "type", "message", "retry_after_ms", "should_retry", "connection"});
      !checked) {
    return std::unexpected(checked.error());
  }
  ModelFailure failure{.kind = ModelFailure::Kind::status, .status = 500};
  if (find_bool(json, "connection").value_or(false)) {
    failure.kind = ModelFailure::Kind::connection;
    failure.status = 0;
  }
  if (const auto status = find_int(json, "status")) failure.status = static_cast<int>(*status);
  failure.type = string_or_empty(json, "type");
  failure.message = string_or_empty(json, "message");
  if (failure.message.empty()) failure.message = "the script says so";
  failure.should_retry = find_bool(json, "should_retry");
  if (find(json, "retry_after_ms")) {
    const auto delay = read_milliseconds(json, "retry_after_ms");
    if (!delay) return std::unexpected(delay.error());
    failure.retry_after = *delay;
  }
  return failure;
}

Result<ScriptAnswer> read_answer(std::string_view line) {
  const auto json = parse_json(line);
  if (!json) return std::unexpected(json.error());
  if (!json->is_object()) return wrong("an answer is an object");
  if (auto checked = check_keys(*json, {"when", "answer", "fail", "stop_reason", "usage", "pace_ms", "times"});
      !checked) {
    return std::unexpected(checked.error());
  }
  ScriptAnswer answer;
  answer.when = string_or_empty(*json, "when");
  answer.stop_reason = string_or_empty(*json, "stop_reason");
  if (const Json* usage = find(*json, "usage")) answer.usage = *usage;
  if (find(*json, "pace_ms")) {
    const auto pace = read_milliseconds(*json, "pace_ms");
    if (!pace) return std::unexpected(pace.error());
    answer.pace = *pace;
  }
  if (find(*json, "times")) {
    const auto times = find_int(*json, "times");
    if (!times || *times < 0) return wrong("times is a number; 0 means without end");
    answer.times = static_cast<std::size_t>(*times);
  }
  const Json* steps = find(*json, "answer");
  const Json* failure = find(*json, "fail");
  if ((steps == nullptr) == (failure == nullptr)) return wrong("an answer has either answer or fail");
  if (failure) {
    if (!failure->is_object()) return wrong("fail is an object");
    auto read = read_failure(*failure);
    if (!read) return std::unexpected(read.error());
    answer.failure = std::move(*read);
    return answer;
  }
  if (steps->is_string()) {
    answer.steps.emplace_back(Block(TextBlock{std::string(view(steps->get_string())), {}}));
    return answer;
  }
  if (!steps->is_array()) return wrong("answer is a text or a list of steps");
  const auto texts = raw_elements(*raw_member(line, "answer"));
  for (std::size_t i = 0; i < steps->get_array().size(); ++i) {
    auto step = read_step(steps->get_array()[i], texts[i]);
    if (!step) return std::unexpected(step.error());
    answer.steps.push_back(std::move(*step));
  }
  return answer;
}

bool is_comment(std::string_view line) { return is_blank(line) || line[line.find_first_not_of(" \t")] == '#'; }

// The strings of a message, so that a script can name what a request says without knowing how it is written in JSON.
bool says(const Json& json, std::string_view words) {
  if (json.is_string()) return view(json.get_string()).find(words) != std::string_view::npos;
  if (json.is_array()) return std::ranges::any_of(json.get_array(), [&](const Json& one) { return says(one, words); });
  if (!json.is_object()) return false;
  return std::ranges::any_of(json.get_object(), [&](const auto& member) { return says(member.value(), words); });
}

bool last_message_says(const ModelRequest& request, std::string_view words) {
  if (words.empty()) return true;
  if (!request.history || request.history->empty()) return false;
  const auto content = parse_json(request.history->back().content);
  return content && says(*content, words);
}

}  // namespace

Result<Script> Script::parse(std::string_view text) {
  Script script;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_comment(line)) continue;
    auto answer = read_answer(line);
    if (!answer) return wrong("line " + std::to_string(number) + " of the script: " + answer.error().message);
    script.answers_.push_back(std::move(*answer));
  }
  script.given_.resize(script.answers_.size());
  return script;
}

std::optional<ScriptAnswer> Script::next(const ModelRequest& request) {
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    const ScriptAnswer& answer = answers_[i];
    if (answer.times != 0 && given_[i] >= answer.times) continue;
    if (!last_message_says(request, answer.when)) continue;
    ++given_[i];
    return answer;
  }
  return std::nullopt;
}

}  // namespace deft
