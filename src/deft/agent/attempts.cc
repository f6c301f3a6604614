#include "deft/agent/attempts.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace deft {

namespace {

constexpr Duration kFirstDelay = std::chrono::milliseconds(500);
constexpr Duration kDelayMax = std::chrono::seconds(8);
constexpr double kJitterMax = 0.25;  // of the delay

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return text;
}

bool may_go_better(const ModelFailure& failure) {
  if (failure.should_retry) return *failure.should_retry;
  switch (failure.kind) {
    case ModelFailure::Kind::connection:
    case ModelFailure::Kind::stream_broken:
    case ModelFailure::Kind::not_understood: return true;
    case ModelFailure::Kind::certificate:
    case ModelFailure::Kind::unusable: return false;
    case ModelFailure::Kind::status: break;
  }
  return failure.status == 408 || failure.status == 409 || failure.status == 429 || failure.status >= 500;
}

}  // namespace

RetryDelay back_off(BackOff options) {
  return [options = std::move(options)](const ModelFailure& failure, std::size_t failures) -> std::optional<Duration> {
    const bool has_too_much_to_do = is_overload(failure) || failure.status == 429;
    const bool for_ever = options.overload_for_ever && has_too_much_to_do;
    if ((failures > options.retries_max && !for_ever) || !may_go_better(failure)) return std::nullopt;
    if (failure.retry_after) return failure.retry_after;
    Duration delay = kFirstDelay;
    for (std::size_t i = 1; i < failures && delay < kDelayMax; ++i) delay *= 2;
    delay = std::min(delay, kDelayMax);
    const double less = options.random ? options.random() * kJitterMax : 0;
    return delay - std::chrono::duration_cast<Duration>(delay * less);
  };
}

bool is_overload(const ModelFailure& failure) {
  return failure.status == 529 || failure.status == 503 || failure.type == "overloaded_error";
}

bool is_missing(const ModelFailure& failure) {
  return failure.kind == ModelFailure::Kind::status && failure.status == 404;
}

bool is_context_overflow(const ModelFailure& failure) {
  // No API has a code of its own for it but OpenAI's; these are what servers say, in any case.
  static constexpr std::array<std::string_view, 26> kSigns = {
      "prompt is too long",         // Anthropic; with a capital where others serve its models
      "input is too long",          // Bedrock
      "exceed context limit",       // Anthropic, with what the answer may take
      "context_length_exceeded",    // OpenAI, Groq, Cerebras
      "maximum context length",     // OpenAI, vLLM, Mistral, OpenRouter
      "context window",             // OpenAI, MiniMax
      "exceed_context_size_error",  // llama.cpp
      "exceeds the available context size",
      "context size has been exceeded",
      "max context length",      // Ollama
      "model's context length",  // SGLang
      "the context length",      // LM Studio
      "context length of only",
      "maximum model length",  // vLLM
      "max_model_len",
      "input token count",      // Gemini
      "prompt token count",     // Copilot
      "maximum prompt length",  // xAI
      "model token limit",      // Kimi
      "reduce the length of the messages",
      "exceeds max length",               // Z.ai
      "exceed max message tokens",        // Doubao
      "range of input length should be",  // Qwen
      "too many tokens",                  // Cohere
      "`inputs` must have less than",     // TGI
      "`inputs` tokens + `max_new_tokens` must be",
  };
  if (failure.kind != ModelFailure::Kind::status && failure.kind != ModelFailure::Kind::stream_broken) return false;
  static constexpr std::array<int, 6> kStatuses = {0, 200, 400, 413, 422, 500};  // 200: inside a stream
  if (std::ranges::find(kStatuses, failure.status) == kStatuses.end()) return false;
  if (failure.type == "request_too_large" || failure.status == 413) return true;
  const std::string said = in_small_letters(failure.message);
  return std::ranges::any_of(
      kSigns, [&](std::string_view sign) { return failure.type == sign || said.find(sign) != std::string::npos; });
}

Attempts::Next Attempts::failed(const ModelFailure& failure) {
  if (is_context_overflow(failure)) return {.step = Next::Step::shorten};
  ++failures_;
  misunderstood_ = failure.kind == ModelFailure::Kind::not_understood ? misunderstood_ + 1 : 0;
  const auto delay = misunderstood_ > kMisunderstoodMax ? std::nullopt : delay_(failure, failures_);

  overloads_ = is_overload(failure) ? overloads_ + 1 : 0;
  const bool another = model_ + 1 < models_.size();
  const bool has_no_time = overloads_ >= kOverloadFailuresMax || (failure.status >= 500 && !delay);
  if (another && (has_no_time || is_missing(failure))) {
    ++model_;
    failures_ = stream_failures_ = overloads_ = misunderstood_ = 0;
    return {.step = Next::Step::retry, .model_changed = true};
  }
  if (!delay) return {.step = Next::Step::give_up};

  if (!streams_) {  // that was the one try without
    streams_ = true;
    stream_failures_ = 0;
  } else if (failure.kind == ModelFailure::Kind::stream_broken && ++stream_failures_ >= kStreamFailuresMax) {
    streams_ = false;
  }
  return {.step = Next::Step::retry, .delay = *delay};
}

void Attempts::use_model(const std::string& model) {
  models_.insert(models_.begin(), model);
  model_ = 0;
  succeeded();
}

void Attempts::succeeded() {
  failures_ = stream_failures_ = overloads_ = misunderstood_ = 0;
  streams_ = true;
}

}  // namespace deft
