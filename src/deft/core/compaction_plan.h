#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/core/history.h"

// A conversation that is nearly too long for its model is made shorter: its beginning becomes a summary, which the
// model itself writes, and the last messages stay as they are. Here is what goes into which part; every history that
// comes out is one that the API accepts. Pure; agent/compaction.h does it.

namespace deft {

inline constexpr std::uint64_t kKeptTailTokensMax = 20'000;
inline constexpr std::size_t kSummaryTries = 4;  // each time with less of the conversation
inline constexpr std::size_t kShortenedTextBytesMax = 2'000;
inline constexpr std::size_t kCompactInstructionsBytesMax = 20'000;

// How many of the last messages stay, within `tokens_max`; what the user has just said stays in any case. Nothing: what
// is before them is not worth a summary.
std::optional<std::size_t> kept_tail(const History& history, std::uint64_t tokens_max);
// The same between turns: then no prompt waits for an answer, and one that is longer than that does not stay either.
// It was refused, and nothing that is said after it would ever fit.
std::optional<std::size_t> kept_tail_between_turns(const History& history, std::uint64_t tokens_max);
// About a tenth of the context.
std::uint64_t kept_tail_budget(std::uint64_t window_tokens);

// What the model is sent to write the summary: all but the last `kept` messages, and at the end what we want of it.
// `attempt` counts from 0: from 1 on long texts are cut short and pictures left out, from 2 on the beginning is left
// out too, each time half of what was there. Nothing: nothing would be left.
std::optional<History> summary_request(const History& history, std::size_t kept, std::size_t attempt,
                                       std::string_view instructions);

// The first message of the shorter conversation: the summary, and what hooks add to it.
std::string summary_content(std::string_view summary, const std::vector<std::string>& context);
// The shorter conversation: `content`, then the last `kept` messages of `history`.
History compacted_history(const History& history, const std::string& content, std::size_t kept);

}  // namespace deft
