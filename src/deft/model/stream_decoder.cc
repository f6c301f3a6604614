#include "deft/model/stream_decoder.h"

#include <algorithm>
#include <array>

#include "deft/base/utf8.h"
#include "deft/model/event_json.h"
#include "deft/model/plain_delta.h"

namespace deft {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kErrorTextCharactersMax = 1000;
constexpr std::array<std::string_view, 5> kFieldNames = {"data", "event", "id", "retry", "error"};

// Where a message of these APIs begins, so that it can begin after one that broke.
bool begins_message(const Json& json) {
  const auto type = find_string(json, "type");
  return type == "message_start" || type == "response.created";
}

StreamApi api_of(const Json& json) {
  if (AnthropicStream::recognises(json)) return StreamApi::anthropic_messages;
  if (OpenAiResponsesStream::recognises(json)) return StreamApi::openai_responses;
  if (OpenAiChatStream::recognises(json)) return StreamApi::openai_chat;
  return StreamApi::unknown;
}

}  // namespace

InputKind sniff_input(std::string_view beginning) {
  if (beginning.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(beginning)) return InputKind::undecided;
  if (beginning.starts_with(kByteOrderMark)) beginning.remove_prefix(kByteOrderMark.size());
  const std::size_t first = beginning.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return InputKind::undecided;
  // Space before a field name makes it another name, so only line ends may stand before the first field.
  const std::string_view line = beginning.substr(first);
  if (first > 0 && (beginning[first - 1] == ' ' || beginning[first - 1] == '\t')) return InputKind::lines;
  if (line.front() == ':') return InputKind::event_stream;
  for (const std::string_view name : kFieldNames) {
    if (line.size() <= name.size() && name.starts_with(line)) return InputKind::undecided;
    if (line.starts_with(name) && line[name.size()] == ':') return InputKind::event_stream;
  }
  return InputKind::lines;
}

StreamDecoder::StreamDecoder(std::string call_id_prefix)
    : reader_(SseLimits{.error_field = true}),
      assembler_(std::move(call_id_prefix)),
      anthropic_(assembler_),
      chat_(assembler_),
      responses_(assembler_) {}

std::vector<StreamEvent> StreamDecoder::feed(std::string_view bytes) {
  const bool dead = reader_.error().has_value();
  reader_.feed(bytes, [this](const SseEvent& event) { handle(event); });
  if (!dead && reader_.error()) fail(*reader_.error());
  return assembler_.take_events();
}

std::vector<StreamEvent> StreamDecoder::finish() {
  // The last event may lack its empty line. If its data is whole JSON, nothing of it can be missing.
  if (const auto event = reader_.take_unfinished(); event && parse_event(event->data)) handle(*event);
  if (assembler_.in_message()) {
    if (auto ended = end_message(); !ended) fail(ended.error());
  } else if (nothing_came()) {
    fail(Error{Errc::io, "the stream ended before a message began"});
  }
  return assembler_.take_events();
}

std::vector<StreamEvent> StreamDecoder::abandon(Error error) {
  if (assembler_.in_message() || nothing_came()) fail(std::move(error));
  return assembler_.take_events();
}

void StreamDecoder::handle(const SseEvent& event) {
  if (event.data.empty() || event.event == "ping") return;
  if (event.data.starts_with("[DONE]")) return handle_done();
  const bool may_be_plain = api_ == StreamApi::anthropic_messages && assembler_.in_message() && !skipping_ && !watcher_;
  if (may_be_plain) {
    if (const auto delta = read_plain_delta(event.data)) {
      if (auto taken = anthropic_.take(*delta); !taken) fail(taken.error());
      return;
    }
  }
  const auto json = parse_event(event.data);
  if (json && event.event == "error" && !find_provider_error(*json)) return handle_error(*json);
  if (json) return handle_json(*json, event.data);
  if (skipping_) return;
  if (event.event != "error") return fail(json.error());
  fail(Error{Errc::failed, to_valid_utf8(first_characters(event.data, kErrorTextCharactersMax))});
}

// An error event whose data is the error itself.
void StreamDecoder::handle_error(const Json& json) {
  if (skipping_) return;
  const auto error = read_provider_error(&json);
  if (error) fail(Error{Errc::failed, error->message}, error->code);
}

void StreamDecoder::handle_done() {
  const bool under_way = !skipping_ && assembler_.in_message() && api_ == StreamApi::openai_chat;
  skipping_ = false;
  if (!under_way) return;
  if (auto ended = chat_.end(/*said_done=*/true); !ended) fail(ended.error());
  skipping_ = false;  // with [DONE] the message is over, failed or not
}

void StreamDecoder::handle_json(const Json& json, std::string_view text) {
  if (skipping_ && !begins_message(json)) return;
  skipping_ = false;
  if (auto error = find_provider_error(json)) {
    return fail(Error{Errc::failed, std::move(error->message)}, std::move(error->code));
  }
  if (watcher_) watcher_(json, text);
  if (auto handled = dispatch(json, text); !handled) return fail(handled.error());
}

Result<void> StreamDecoder::dispatch(const Json& json, std::string_view text) {
  if (!assembler_.in_message()) {
    const StreamApi api = api_of(json);
    if (api == StreamApi::unknown) return {};
    api_ = api;
  }
  switch (api_) {
    case StreamApi::anthropic_messages: return anthropic_.handle(json, text);
    case StreamApi::openai_chat: return chat_.handle(json, text);
    case StreamApi::openai_responses: return responses_.handle(json, text);
    case StreamApi::unknown: break;
  }
  return {};
}

Result<void> StreamDecoder::end_message() {
  switch (api_) {
    case StreamApi::anthropic_messages: return anthropic_.end();
    case StreamApi::openai_chat: return chat_.end(/*said_done=*/false);
    case StreamApi::openai_responses: return responses_.end();
    case StreamApi::unknown: break;
  }
  return {};
}

void StreamDecoder::fail(Error error, std::string provider_code) {
  assembler_.fail(std::move(error), std::move(provider_code));
  skipping_ = true;
  any_failed_ = true;
}

Result<std::vector<StreamEvent>> events_from_body(std::string_view json_text) {
  const auto json = parse_event(json_text);
  if (!json) return std::unexpected(json.error());
  if (auto error = find_provider_error(*json)) return deft::fail(Errc::failed, std::move(error->message));

  Assembler assembler;
  Result<void> read;
  if (find_array(*json, "choices")) {
    OpenAiChatStream chat(assembler);
    read = chat.handle(*json, json_text);
    if (read) read = chat.end(/*said_done=*/true);
  } else if (find_array(*json, "output")) {
    read = OpenAiResponsesStream(assembler).handle_body(*json);
  } else if (find_array(*json, "content")) {
    read = AnthropicStream(assembler).handle_body(*json, json_text);
  }
  if (!read) return std::unexpected(read.error());
  std::vector<StreamEvent> events = assembler.take_events();
  if (events.empty()) return deft::fail(Errc::unsupported, "this is not an answer of a known model API");
  return events;
}

Result<Message> message_from_body(std::string_view json_text) {
  auto events = events_from_body(json_text);
  if (!events) return std::unexpected(events.error());
  for (StreamEvent& event : *events) {
    if (auto* done = std::get_if<MessageDone>(&event)) return std::move(done->message);
    if (auto* failed = std::get_if<MessageFailed>(&event)) return std::unexpected(std::move(failed->error));
  }
  return deft::fail(Errc::unsupported, "this is not an answer of a known model API");
}

}  // namespace deft
