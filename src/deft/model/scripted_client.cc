#include "deft/model/scripted_client.h"

#include <condition_variable>
#include <thread>

#include "deft/base/overloaded.h"
#include "deft/base/whole_file.h"
#include "deft/model/model_failure.h"
#include "deft/model/raw_event_writer.h"

namespace deft {
namespace {

// The next word with the blanks after it.
std::string_view next_word(std::string_view text) {
  const std::size_t blank = text.find_first_of(" \n", 0);
  if (blank == std::string_view::npos) return text;
  const std::size_t next = text.find_first_not_of(" \n", blank);
  return text.substr(0, next);
}

// Plays one answer, on a thread of its own. Ending it ends the thread: nothing is told after that.
class Performance final : public ModelCall {
 public:
  Performance(ScriptAnswer answer, const ModelRequest& request, std::size_t number, ModelClient::Sink sink)
      : answer_(std::move(answer)), raw_events_(request.raw_events), number_(number), sink_(std::move(sink)) {
    message_.id = "msg_script_" + std::to_string(number);
    message_.model = request.model;
    thread_ = std::jthread([this](const std::stop_token& stop) { play(stop); });
  }

 private:
  void play(const std::stop_token& stop) {
    if (answer_.failure) return sink_(ModelFailed{*answer_.failure, {}});
    sink_(ModelBegan{"req_script_" + std::to_string(number_)});
    for (ScriptStep& step : answer_.steps) {
      if (stop.stop_requested() || !play(step, stop)) return;
    }
    if (stop.stop_requested()) return;
    message_.stop_reason = !answer_.stop_reason.empty() ? answer_.stop_reason : calls_ > 0 ? "tool_use" : "end_turn";
    message_.raw_stop_reason = message_.stop_reason;
    message_.usage =
        answer_.usage.is_null() ? Json(JsonObject{{"input_tokens", 0}, {"output_tokens", 0}}) : answer_.usage;
    say(MessageDone{std::move(message_)});
  }

  // False: that was the end.
  bool play(ScriptStep& step, const std::stop_token& stop) {
    return std::visit(Overloaded{
                          [&](Block& block) {
                            tell(block, stop);
                            return true;
                          },
                          [&](ScriptPause& pause) {
                            wait(pause.length, stop);
                            return true;
                          },
                          [&](ScriptBreak& broken) {
                            fail({.kind = ModelFailure::Kind::stream_broken, .status = 200, .message = broken.message});
                            return false;
                          },
                          [&](ScriptError& error) {
                            fail(failure_of_stream({{Errc::failed, error.message}, error.type, {}}, true));
                            return false;
                          },
                      },
                      step);
  }

  void tell(Block& block, const std::stop_token& stop) {
    if (auto* use = std::get_if<ToolUseBlock>(&block)) {
      if (use->call.id.empty()) {
        use->call.id = "toolu_script_" + std::to_string(number_) + "_" + std::to_string(calls_);
      }
      ++calls_;
      message_.blocks.push_back(block);
      return say(CallReady{use->call, std::exchange(before_, {}), head_of(message_), use->extra});
    }
    if (auto* text = std::get_if<TextBlock>(&block)) tell_words(text->text, stop);
    if (auto* thinking = std::get_if<ThinkingBlock>(&block)) say(ThinkingDelta{thinking->thinking});
    message_.blocks.push_back(block);
    before_.push_back(block);
  }

  void tell_words(std::string_view text, const std::stop_token& stop) {
    while (!text.empty() && !stop.stop_requested()) {
      const std::string_view word = next_word(text);
      text.remove_prefix(word.size());
      say(TextDelta{std::string(word)});
      if (answer_.pace) wait(*answer_.pace, stop);
    }
  }

  template <class Event>
  void say(Event event) {
    if (raw_events_) {
      for (std::string& json : raw_writer_.write(event, head_of(message_))) sink_(RawModelEvent{std::move(json)});
    }
    sink_(std::move(event));
  }

  void fail(ModelFailure failure) { sink_(ModelFailed{std::move(failure), std::move(message_)}); }

  void wait(Duration length, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, length, [] { return false; });
  }

  ScriptAnswer answer_;
  const bool raw_events_;
  const std::size_t number_;
  ModelClient::Sink sink_;
  RawEventWriter raw_writer_;
  Message message_;
  std::vector<Block> before_;
  std::size_t calls_ = 0;
  std::jthread thread_;  // the last: it uses all of the above
};

}  // namespace

Result<std::unique_ptr<ScriptedClient>> ScriptedClient::open(const std::string& path) {
  const auto text = read_whole_file(path, kScriptBytesMax);
  if (!text) return fail(text.error().code, "the script: " + text.error().message);
  auto script = Script::parse(*text);
  if (!script) return fail(script.error().code, path + ": " + script.error().message);
  return std::make_unique<ScriptedClient>(std::move(*script));
}

std::unique_ptr<ModelCall> ScriptedClient::ask(const ModelRequest& request, Sink sink) {
  std::size_t number = 0;
  std::optional<ScriptAnswer> answer;
  {
    const std::lock_guard lock(mutex_);
    number = ++requests_;
    answer = script_.next(request);
  }
  if (!answer) {
    answer = ScriptAnswer{};
    answer->failure = ModelFailure{.kind = ModelFailure::Kind::unusable,
                                   .message = "the script has no answer left for this request: add a line to it"};
  }
  return std::make_unique<Performance>(std::move(*answer), request, number, std::move(sink));
}

}  // namespace deft
