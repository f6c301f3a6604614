#include "deft/ui/exec_input.h"

#include <utility>

#include "deft/base/text.h"
#include "deft/tools/host_tool.h"

namespace deft {
namespace {

constexpr std::size_t kQuotedCharactersMax = 80;

// The input of a call as an object, or why it is none.
void set_input(ToolCall& call, const Json* input, std::string_view text) {
  call.input_text = text.empty() ? "{}" : std::string(text);
  if (!input) {
    call.input = JsonObject();
  } else if (input->is_object()) {
    call.input = *input;
  } else {
    call.invalid = "it is not an object";
  }
}

}  // namespace

std::vector<InputItem> ExecInput::feed(std::string_view bytes) {
  std::string held;
  if (kind_ == InputKind::undecided) {
    pending_ += bytes;
    kind_ = sniff_input(pending_);
    if (kind_ == InputKind::undecided) return {};
    if (kind_ == InputKind::event_stream) stream_ = std::make_unique<StreamDecoder>();
    held = std::exchange(pending_, {});
    bytes = held;
  }
  if (stream_) {
    take_stream_events(stream_->feed(bytes));
  } else {
    feed_lines(bytes);
  }
  return std::exchange(items_, {});
}

std::vector<InputItem> ExecInput::finish() {
  if (stream_) {
    take_stream_events(stream_->finish());
  } else {
    if (!pending_.empty()) take_line(std::exchange(pending_, {}));
    end_loose_calls();
  }
  items_.emplace_back(Feed(InputEnded{}));
  return std::exchange(items_, {});
}

void ExecInput::feed_lines(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const bool complete = newline != std::string_view::npos;
    const std::string_view piece = bytes.substr(0, newline);
    bytes.remove_prefix(complete ? newline + 1 : bytes.size());
    if (!skipping_line_ && pending_.size() + piece.size() > kInputLineBytesMax) {
      skipping_line_ = true;
      pending_.clear();
    }
    if (!skipping_line_) pending_ += piece;
    if (!complete) return;
    if (std::exchange(skipping_line_, false)) {
      ++line_;
      problem(Errc::limit, "the line is longer than " + human_bytes(kInputLineBytesMax) + " and was skipped");
      continue;
    }
    take_line(std::exchange(pending_, {}));
  }
}

void ExecInput::problem(Errc code, std::string message) {
  items_.emplace_back(InputProblem{.line = line_, .error = {code, std::move(message)}});
}

void ExecInput::take_line(std::string_view line) {
  ++line_;
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.empty()) return;
  const auto json = parse_json(line, {.bytes_max = kInputLineBytesMax});
  if (!json) {  // the line's number is told apart
    std::string_view why = json.error().message;
    why.remove_prefix(std::min(why.find("column"), why.size()));
    return problem(json.error().code, "not JSON: " + std::string(why));
  }
  if (!json->is_object()) return problem(Errc::invalid_input, "a line must be a JSON object");
  take_object(*json, line);
}

void ExecInput::take_object(const Json& object, std::string_view text) {
  const std::string_view type = find_string(object, "type").value_or("");
  if (type == "tool_use") return take_tool_use(object, text);
  if (type == "end") {
    end_loose_calls();
    return items_.emplace_back(Feed(MessageEnded{})), void();
  }
  if (type == "discard") {
    loose_ = {};
    return items_.emplace_back(Feed(StreamBroke{})), void();
  }
  if (type == "interrupt") return items_.emplace_back(Feed(Interrupted{})), void();
  if (type == "forget") return items_.emplace_back(Feed(ContextForgotten{})), void();
  if (type == "abort") return items_.emplace_back(Feed(Aborted{})), void();
  if (type == "tools") return take_tools(object);
  if (type == "permission") return take_permission(object);
  if (type == "call_result") return take_call_result(object);
  if (type == "background") return take_background(object);
  if (type == "mode") {
    const auto mode = parse_mode(find_string(object, "mode").value_or(""));
    if (!mode) return problem(Errc::invalid_input, "mode must name a permission mode");
    return items_.emplace_back(Feed(ModeWanted{*mode})), void();
  }
  if (type == "assistant") {
    if (const auto message = raw_member(text, "message")) return take_message(*message);
  }
  if (type == "message" || find(object, "role") || find(object, "choices") || find(object, "output")) {
    return take_message(text);
  }
  problem(Errc::invalid_input, type.empty()
                                   ? "the line has no type; expected tool_use, an assistant message, or a control line"
                                   : "unknown type " + json_quote(one_line(type, kQuotedCharactersMax)));
}

void ExecInput::take_tool_use(const Json& block, std::string_view text) {
  const auto id = find_string(block, "id");
  const auto name = find_string(block, "name");
  if (!id || id->empty()) return problem(Errc::invalid_input, "a tool_use needs an id to be answered");
  if (!name)
    return problem(Errc::invalid_input,
                   "the tool_use " + json_quote(one_line(*id, kQuotedCharactersMax)) + " needs a name");
  ToolCall call{.id = std::string(*id), .name = std::string(*name)};
  set_input(call, find(block, "input"), raw_member(text, "input").value_or(""));
  add_call(std::move(call));
}

void ExecInput::add_call(ToolCall call) {
  loose_.blocks.emplace_back(ToolUseBlock{.call = call});
  items_.emplace_back(Feed(CallArrived{std::move(call)}));
}

void ExecInput::end_loose_calls() {
  if (loose_.blocks.empty()) return;
  loose_.stop_reason = "tool_use";
  items_.emplace_back(MessageDone{std::exchange(loose_, {})});
}

// A whole message: it ends the calls that came one by one before it, and itself.
void ExecInput::take_message(std::string_view text) {
  auto message = message_from_body(text);
  if (!message) return problem(message.error().code, message.error().message);
  if (!loose_.blocks.empty()) {
    end_loose_calls();
    items_.emplace_back(Feed(MessageEnded{}));
  }
  for (const Block& block : message->blocks) {
    if (const auto* use = std::get_if<ToolUseBlock>(&block)) items_.emplace_back(Feed(CallArrived{use->call}));
  }
  items_.emplace_back(Feed(MessageEnded{}));
  items_.emplace_back(MessageDone{std::move(*message)});
}

void ExecInput::take_tools(const Json& object) {
  const JsonArray* tools = find_array(object, "tools");
  if (!tools) return problem(Errc::invalid_input, "a tools line needs a list \"tools\"");
  for (const Json& definition : *tools) {
    auto tool = make_host_tool(definition);
    if (!tool) {
      problem(tool.error().code, tool.error().message);
      continue;
    }
    items_.emplace_back(Feed(ToolOffered{std::move(*tool)}));
  }
}

void ExecInput::take_permission(const Json& object) {
  const auto id = find_string(object, "id");
  const auto decision = find_string(object, "decision");
  if (!id) return problem(Errc::invalid_input, "a permission line needs the id of its question");
  if (decision != "allow" && decision != "deny") {
    return problem(Errc::invalid_input, "a permission line needs \"decision\": \"allow\" or \"deny\"");
  }
  PermissionAnswer answer{.id = std::string(*id),
                          .verdict = decision == "allow" ? Verdict::allow : Verdict::deny,
                          .feedback = std::string(find_string(object, "message").value_or("")),
                          .ends_turn = find_bool(object, "interrupt").value_or(false)};
  if (const Json* input = find(object, "updated_input")) {
    if (!input->is_object()) return problem(Errc::invalid_input, "updated_input must be an object");
    answer.updated_input = *input;
  }
  if (const Json* always = find(object, "always"); always && answer.verdict == Verdict::allow) {
    answer.always = read_always(*always);
    if (!answer.always) return;
  }
  items_.emplace_back(Feed(std::move(answer)));
}

std::optional<AlwaysAllow> ExecInput::read_always(const Json& always) {
  const auto refuse = [this](std::string message) {
    problem(Errc::invalid_input, std::move(message));
    return std::nullopt;
  };
  if (!always.is_object()) return refuse("always must be an object with a destination");
  const auto destination = parse_setting_source(find_string(always, "destination").value_or("session"));
  const bool is_writable =
      destination && *destination != SettingSource::managed && *destination != SettingSource::command_line;
  if (!is_writable) return refuse("always.destination must be session, local, project or user");
  AlwaysAllow read{.rules = {}, .destination = *destination};
  const Json* rules = find(always, "rules");
  if (!rules) return read;
  if (!rules->is_array()) return refuse("always.rules must be a list of rules");
  for (const Json& rule : rules->get_array()) {
    if (!rule.is_string()) return refuse("always.rules must be a list of rules");
    read.rules.emplace_back(view(rule.get_string()));
  }
  return read;
}

void ExecInput::take_call_result(const Json& object) {
  const auto id = find_string(object, "tool_use_id");
  if (!id) return problem(Errc::invalid_input, "a call_result line needs the tool_use_id of its call");
  items_.emplace_back(Feed(HostAnswer{.call_id = std::string(*id), .answer = object}));
}

void ExecInput::take_background(const Json& object) {
  const auto id = find_string(object, "tool_use_id");
  if (!id) return problem(Errc::invalid_input, "a background line needs the tool_use_id of the call to move");
  items_.emplace_back(Feed(MovedToBackground{std::string(*id)}));
}

void ExecInput::take_stream_events(std::vector<StreamEvent> events) {
  for (StreamEvent& event : events) {
    if (auto* ready = std::get_if<CallReady>(&event)) {
      items_.emplace_back(Feed(CallArrived{std::move(ready->call)}));
    } else if (auto* done = std::get_if<MessageDone>(&event)) {
      items_.emplace_back(Feed(MessageEnded{}));
      items_.emplace_back(std::move(*done));
    } else if (auto* failed = std::get_if<MessageFailed>(&event)) {
      // Calls that were complete are carried out: asking for the message again would ask for their effects twice.
      items_.emplace_back(Feed(MessageEnded{}));
      items_.emplace_back(
          InputProblem{.error = std::move(failed->error), .provider_code = std::move(failed->provider_code)});
    }
  }
}

}  // namespace deft
