#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "deft/core/history.h"
#include "deft/core/token_use.h"

// How full the model's context is, as far as can be known without its tokenizer. Pure.

namespace deft {

inline constexpr std::uint64_t kContextWindowTokensDefault = 200'000;
inline constexpr std::uint64_t kContextWindowTokensMin = 4'000;
inline constexpr std::uint64_t kContextWindowTokensMax = 10'000'000;
inline constexpr std::uint64_t kAnswerReserveTokensMax = 20'000;  // that the answer is sure to find
inline constexpr std::size_t kBytesPerToken = 3;                  // of code and JSON; prose has more
inline constexpr std::uint64_t kImageTokens = 1'600;              // of one picture, however many bytes it has

// Of a message's content. Rather too many than too few; pictures and other data in base64 count by the piece.
std::uint64_t estimated_tokens(std::string_view content);
std::uint64_t estimated_tokens(const History& history, std::size_t from = 0);

// From how many tokens on a request is not made before the conversation is shorter: what is left is for the answer, and
// for what the estimate does not see.
std::uint64_t compaction_threshold(std::uint64_t window_tokens, std::uint64_t output_tokens_max);

// Keeps count along a conversation: what the model itself said of its length, plus an estimate of what came since.
class ContextGauge {
 public:
  // The model has answered, its message is in the history, and this is what it said it had cost.
  void answered(const History& history, const TokenUse& use);
  void reset() { known_ = 0, known_messages_ = 0, is_measured_ = false; }  // the history is another one
  // `beside`: bytes of what else goes with a request (system prompt, tools), as far as the model has not counted it.
  std::uint64_t tokens(const History& history, std::size_t beside) const;

 private:
  std::uint64_t known_ = 0;
  std::size_t known_messages_ = 0;  // of the history, that are in it
  bool is_measured_ = false;        // by the model
};

}  // namespace deft
