#include "deft/agent/compaction.h"

#include <algorithm>
#include <utility>

#include "deft/agent/hook_stages.h"
#include "deft/base/check.h"
#include "deft/core/compaction_plan.h"

// start → PreCompact hooks → ask_model ⟲ → SessionStart hooks ("compact") → PostCompact hooks → end

namespace deft {
namespace {

std::string text_of(const Message& message) {
  std::string text;
  for (const Block& block : message.blocks) {
    if (const auto* piece = std::get_if<TextBlock>(&block)) text += piece->text;
  }
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

// What is thought counts as output, and an API that is given less than may be thought refuses.
std::size_t summary_tokens_max(const ModelRequest& request) {
  const auto thought = request.thinking ? find_int(*request.thinking, "budget_tokens") : std::nullopt;
  const std::size_t wanted =
      kSummaryTokensMax + static_cast<std::size_t>(std::max<std::int64_t>(thought.value_or(0), 0));
  return std::min(request.output_tokens_max, wanted);
}

}  // namespace

void Compaction::start(CompactionJob job, Then then) {
  DEFT_CHECK(!job_);
  job_.emplace(std::move(job));
  then_ = std::move(then);
  text_ = {};
  attempt_ = 0;
  if (!parts_.hooks.listens(HookEvent::pre_compact)) return ask_model();
  const auto custom = job_->instructions.empty() ? std::nullopt : std::optional(job_->instructions);
  parts_.hooks.ask(pre_compact(job_->scene, job_->trigger, custom), [this](const HookOutcome& outcome) {
    if (outcome.stops) return end(fail(Errc::denied, "a hook keeps it as it is: " + outcome.stop_reason));
    if (outcome.blocked) return end(fail(Errc::denied, "a hook keeps it as it is: " + outcome.block_reason));
    ask_model();
  });
}

void Compaction::stop() {
  call_.reset();
  ++number_;
  job_.reset();
  then_ = nullptr;
}

void Compaction::end(Result<CompactedText> result) {
  Then then = std::move(then_);
  stop();
  then(std::move(result));
}

void Compaction::ask_model() {
  auto told = summary_request(*job_->history, job_->kept, attempt_, job_->instructions);
  if (!told) return end(fail(Errc::failed, "not even its last part fits into the model's context"));
  ModelRequest request = job_->request;
  request.model = job_->attempts.model();
  request.stream = job_->attempts.streams();
  request.history = std::make_shared<const History>(std::move(*told));
  request.output_tokens_max = summary_tokens_max(request);
  request.output_format.reset();
  request.raw_events = false;
  call_ = parts_.model.ask(request, [this, number = ++number_](ModelEvent event) {
    parts_.executor.post([this, number, happened = std::move(event)]() mutable {
      if (number == number_) take(std::move(happened));
    });
  });
}

void Compaction::take(ModelEvent event) {
  if (const auto* done = std::get_if<MessageDone>(&event)) take_message(done->message);
  if (const auto* failed = std::get_if<ModelFailed>(&event)) take_failure(failed->failure);
}

void Compaction::take_message(const Message& message) {
  call_.reset();
  ++number_;
  text_.model = job_->attempts.model();
  text_.usage = message.usage;
  job_->attempts.succeeded();
  const bool is_refused = message.stop_reason == "refusal";
  std::string summary = is_refused ? "" : text_of(message);
  if (!summary.empty()) return ask_hooks_to_add(std::move(summary));
  parts_.wasted(text_.model, text_.usage);
  if (is_refused) return end(fail(Errc::failed, "the model declined to write a summary"));
  // It would rather call tools. At first it may, so that the request is the same as the others up to its last words.
  if (job_->request.tool_choice == Json{{"type", "none"}}) {
    return end(fail(Errc::failed, "the model wrote no summary"));
  }
  job_->request.tool_choice = Json{{"type", "none"}};
  ask_model();
}

void Compaction::take_failure(const ModelFailure& failure) {
  call_.reset();
  ++number_;
  const Attempts::Next next = job_->attempts.failed(failure);
  switch (next.step) {
    case Attempts::Next::Step::retry: return ask_again_in(next.delay);
    case Attempts::Next::Step::shorten:
      if (++attempt_ < kSummaryTries) return ask_model();
      [[fallthrough]];
    case Attempts::Next::Step::give_up: return end(fail(Errc::failed, failure.message));
  }
}

void Compaction::ask_again_in(Duration delay) {
  parts_.executor.post_at(parts_.clock.now() + delay, [this, number = number_] {
    if (number == number_) ask_model();
  });
}

void Compaction::ask_hooks_to_add(std::string summary) {
  text_.summary = std::move(summary);
  text_.content = summary_content(text_.summary, {});
  if (!parts_.hooks.listens(HookEvent::session_start)) return tell_hooks();
  parts_.hooks.ask(session_start(job_->scene, "compact", text_.model), [this](const HookOutcome& outcome) {
    std::vector<std::string> context;
    for (const std::string& text : outcome.context) {
      context.push_back(hook_context_text(HookEvent::session_start, text));
    }
    text_.content = summary_content(text_.summary, context);
    tell_hooks();
  });
}

void Compaction::tell_hooks() {
  if (!parts_.hooks.listens(HookEvent::post_compact)) return end(std::move(text_));
  parts_.hooks.ask(post_compact(job_->scene, job_->trigger, text_.summary),
                   [this](const HookOutcome&) { end(std::move(text_)); });
}

}  // namespace deft
