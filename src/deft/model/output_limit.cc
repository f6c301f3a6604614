#include "deft/model/output_limit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace deft {
namespace {

// The number right behind (or, of several blanks and quotes, after) these words.
std::optional<std::size_t> number_after(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + words.size());
  while (!rest.empty() && std::string_view(" (:`").contains(rest.front())) rest.remove_prefix(1);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

// The number right before these words.
std::optional<std::size_t> number_before(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + at, number);
  if (error != std::errc() || begin == at) return std::nullopt;
  return number;
}

// How long an answer of this model may be at most, in the words of: OpenAI, Anthropic, Groq and Cohere, DeepSeek, Qwen,
// OpenAI's Responses, Bedrock; last Gemini, which names the first number that is too large.
std::optional<std::size_t> read_answer_limit(std::string_view text) {
  if (const auto most = number_after(text, "supports at most ")) return most;
  if (text.find("maximum allowed number of output tokens") != std::string_view::npos) {
    return number_after(text, " > ");  // "max_tokens: 64000 > 8192, which is the maximum allowed number…"
  }
  static constexpr std::array<std::string_view, 6> kNames = {"max_tokens",        "max_completion_tokens",
                                                             "max_output_tokens", "max_new_tokens",
                                                             "maxOutputTokens",   "maximum tokens"};
  const bool names_it =
      std::ranges::any_of(kNames, [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
  if (!names_it) return std::nullopt;
  for (const std::string_view words :
       {"less than or equal to", "range of max_tokens is [1,", "Range of max_tokens should be [1,",
        "Expected a value <=", "exceeds the model limit of"}) {
    if (const auto most = number_after(text, words)) return most;
  }
  const auto too_many = number_after(text, "range is from 1 (inclusive) to");
  return too_many && *too_many > 0 ? std::optional(*too_many - 1) : std::nullopt;
}

struct Room {
  std::optional<std::size_t> context;  // of prompt and answer
  std::optional<std::size_t> prompt;
  std::optional<std::size_t> answer;  // of the answer alone
};

// The words of: Anthropic, vLLM and OpenAI (older and newer), llama.cpp.
Room read_room(std::string_view text) {
  Room room;
  if (text.find("exceed context limit") !=
      std::string_view::npos) {  // "…exceed context limit: 188240 + 21333 > 200000"
    room.prompt = number_after(text, "exceed context limit");
    room.context = number_after(text, " > ");
    return room;
  }
  room.answer = read_answer_limit(text);
  room.context = number_after(text, "maximum context length is ");
  for (const std::string_view words : {" in the messages", " input tokens", " in your prompt"}) {
    if (!room.prompt) room.prompt = number_before(text, words);
  }
  return room;
}

}  // namespace

std::optional<std::size_t> fitting_output_tokens(const ModelFailure& failure, std::size_t asked) {
  const bool is_refusal = failure.status == 400 || failure.status == 413 || failure.status == 422;
  if (failure.kind != ModelFailure::Kind::status || !is_refusal) return std::nullopt;
  const Room room = read_room(failure.message);
  std::optional<std::size_t> fits = room.answer;
  if (!fits && room.context && room.prompt && *room.prompt + kFittingOutputTokensSpare < *room.context) {
    fits = *room.context - *room.prompt - kFittingOutputTokensSpare;
  }
  if (!fits || *fits >= asked || *fits < kFittingOutputTokensMin) return std::nullopt;
  return fits;
}

}  // namespace deft
