#pragma once

#include <cstddef>
#include <optional>

#include "deft/model/model.h"

namespace deft {

inline constexpr std::size_t kFittingOutputTokensMin = 1'024;  // less is no answer worth having
inline constexpr std::size_t kFittingOutputTokensSpare = 64;   // servers don't count quite as they say

// A request was refused because prompt and answer together, or the answer alone, would be longer than the model can:
// how long an answer it would take instead of `asked`. Read from the server's words; nothing: they say no such thing,
// or what is left is too little.
std::optional<std::size_t> fitting_output_tokens(const ModelFailure& failure, std::size_t asked);

}  // namespace deft
