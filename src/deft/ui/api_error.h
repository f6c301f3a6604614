#pragma once

#include <optional>
#include <string_view>

#include "deft/model/model.h"

// Why a model gave no answer, in the words that hosts know (`error` and `error_status` of their lines).

namespace deft {

// "rate_limit", "overloaded", "authentication_failed" …; "unknown": nothing is known of the request.
std::string_view api_error_word(const ModelFailure& failure);
// The status that the server answered with; nothing: it did not answer, or began to as if all was well.
std::optional<int> api_error_status(const ModelFailure& failure);

}  // namespace deft
