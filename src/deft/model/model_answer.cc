#include "deft/model/model_answer.h"

#include "deft/base/overloaded.h"
#include "deft/base/text.h"
#include "deft/model/model_failure.h"

namespace deft {
namespace {

constexpr std::size_t kShownBeginningCharactersMax = 200;

bool has_content_type(const HttpHead& head, std::string_view type) {
  const std::string_view given = find_header(head.headers, "content-type").value_or(std::string_view());
  if (given.size() < type.size()) return false;
  return find_header({{std::string(given.substr(0, type.size())), ""}}, type).has_value();  // whatever its case
}

bool begins_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

ModelAnswer::ModelAnswer(Parts parts)
    : clock_(parts.clock),
      credentials_(std::move(parts.credentials)),
      secrets_(std::move(parts.secrets)),
      raw_events_(parts.raw_events),
      names_(std::move(parts.names)),
      amend_(std::move(parts.amend)),
      sink_(std::move(parts.sink)) {
  if (!raw_events_) return;
  decoder_.watch([this](const Json& event, std::string_view text) {
    tell(decoder_.take_events());
    if (!told_ && AnthropicStream::recognises(event)) tell(RawModelEvent{std::string(text)});
  });
}

void ModelAnswer::began(HttpHead head) {
  head_ = std::move(head);
  if (head_.status < 200 || head_.status > 299) {
    shape_ = Shape::error;
    return;
  }
  tell(ModelBegan{request_id_of(head_.headers)});
}

void ModelAnswer::received(std::string_view bytes) {
  if (told_) return;
  if (shape_ == Shape::undecided) return decide(bytes);
  if (shape_ == Shape::events) return tell(decoder_.feed(bytes));
  const std::size_t most = shape_ == Shape::error ? kErrorBodyBytesMax : kModelBodyBytesMax;
  if (body_.size() + bytes.size() <= most) {
    body_ += bytes;
  } else if (shape_ == Shape::body) {
    fail({.kind = ModelFailure::Kind::not_understood,
          .status = head_.status,
          .message = "the answer is larger than " + human_bytes(kModelBodyBytesMax)});
  }
}

// The first bytes say what it is. Servers and what stands before them mistake streams for JSON and JSON for streams, so
// the content type counts only where the bytes say nothing.
void ModelAnswer::decide(std::string_view bytes) {
  body_ += bytes;
  const InputKind kind = sniff_input(body_);
  if (kind == InputKind::undecided) {
    if (body_.size() > kErrorBodyBytesMax) fail_misunderstood(body_);  // nothing but blanks
    return;
  }
  if (kind == InputKind::event_stream) return read_events();
  shape_ = Shape::body;
  if (begins_json(body_) || has_content_type(head_, "application/json")) return;
  if (has_content_type(head_, "text/event-stream")) return read_events();
  fail_misunderstood(body_);
}

void ModelAnswer::read_events() {
  shape_ = Shape::events;
  const std::string beginning = std::exchange(body_, {});
  tell(decoder_.feed(beginning));
}

void ModelAnswer::ended(Result<void> result) {
  ended_ = true;
  if (told_) return;
  if (shape_ == Shape::error) {
    ModelFailure failure = failure_of_answer(head_, body_, clock_.wall_time());
    if (amend_) amend_(head_, failure);
    if (failure.status == 401 && credentials_ && credentials_->refused()) failure.should_retry = true;
    return fail(std::move(failure));
  }
  if (shape_ == Shape::undecided && has_content_type(head_, "text/event-stream")) read_events();
  if (shape_ == Shape::events) return tell(result ? decoder_.finish() : decoder_.abandon(result.error()));
  if (!result) return fail(failure_of_transfer(result.error(), head_.status != 0));
  if (shape_ == Shape::body) return read_body();
  fail({.kind = ModelFailure::Kind::stream_broken, .status = head_.status, .message = "the server's answer is empty"});
}

void ModelAnswer::read_body() {
  if (!begins_json(body_)) return fail_misunderstood(body_);
  auto events = events_from_body(body_);
  if (events) return tell(std::move(*events));
  // An error that came with a status of success.
  if (events.error().code == Errc::failed) {
    ModelFailure failure = failure_of_answer(head_, body_, clock_.wall_time());
    const ModelFailure named = failure_of_stream({events.error(), failure.type, {}}, false);
    failure.kind = named.kind;
    failure.status = named.status;
    return fail(std::move(failure));
  }
  fail({.kind = ModelFailure::Kind::not_understood,
        .status = head_.status,
        .message = "the answer is none of a model: " + one_line(events.error().message, kFailureCharactersMax)});
}

void ModelAnswer::fail_misunderstood(std::string_view beginning) {
  const auto type = find_header(head_.headers, "content-type");
  fail({.kind = ModelFailure::Kind::not_understood,
        .status = head_.status,
        .message = "this is no answer of a model (" + (type ? one_line(*type, 80) : "no content type") +
                   "): is the base URL right? It begins: " + one_line(beginning, kShownBeginningCharactersMax)});
}

void ModelAnswer::tell(std::vector<StreamEvent> events) {
  MessageHead head;
  if (raw_events_) {
    const auto* done = events.empty() ? nullptr : std::get_if<MessageDone>(&events.back());
    head = done ? head_of(done->message) : decoder_.head();
  }
  for (std::size_t i = 0; i < events.size() && !told_; ++i) {
    if (raw_events_) tell_raw(events[i], head);
    std::visit(Overloaded{
                   [&](TextDelta& delta) {
                     // What came in one piece is told in one piece.
                     auto* next = i + 1 < events.size() ? std::get_if<TextDelta>(&events[i + 1]) : nullptr;
                     if (next && !raw_events_) {
                       delta.text += next->text;
                       next->text = std::move(delta.text);
                     } else {
                       tell(ModelEvent(std::move(delta)));
                     }
                   },
                   [&](ThinkingDelta& delta) { tell(ModelEvent(std::move(delta))); },
                   [&](CallReady& ready) {
                     restore_name(ready.call);
                     tell(ModelEvent(std::move(ready)));
                   },
                   [&](MessageDone& done) { finish(std::move(done)); },
                   [&](MessageFailed& failed) { fail(std::move(failed)); },
               },
               events[i]);
  }
}

void ModelAnswer::tell_raw(const StreamEvent& event, const MessageHead& head) {
  if (decoder_.api() == StreamApi::anthropic_messages) return;  // those were told as they came
  for (std::string& json : raw_writer_.write(event, head)) tell(RawModelEvent{std::move(json)});
}

void ModelAnswer::finish(MessageDone done) {
  restore_names(done.message);
  told_ = true;
  complete_ = true;
  tell(ModelEvent(std::move(done)));
}

void ModelAnswer::fail(MessageFailed failed) {
  ModelFailure failure = failure_of_stream(failed, decoder_.message_began());
  failure.request_id = request_id_of(head_.headers);
  if (amend_) amend_(head_, failure);
  fail(std::move(failure), std::move(failed.message));
}

void ModelAnswer::fail(ModelFailure failure, Message message) {
  if (told_) return;
  restore_names(message);
  told_ = true;
  failure.message = without_secrets(std::move(failure.message), secrets_);
  tell(ModelEvent(ModelFailed{std::move(failure), std::move(message)}));
}

void ModelAnswer::tell(ModelEvent event) {
  const std::lock_guard lock(mutex_);
  if (sink_) sink_(std::move(event));
}

void ModelAnswer::mute() {
  const std::lock_guard lock(mutex_);
  sink_ = nullptr;
}

void ModelAnswer::restore_name(ToolCall& call) const {
  if (!names_) return;
  const auto own = names_->find(call.name);
  if (own != names_->end()) call.name = own->second;
}

void ModelAnswer::restore_names(Message& message) const {
  for (Block& block : message.blocks) {
    if (auto* use = std::get_if<ToolUseBlock>(&block)) restore_name(use->call);
  }
}

}  // namespace deft
