#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

inline constexpr std::size_t kWrongValueShownBytes = 100;

// "shell.profile must be …, not …": names the key, says what it takes, and shows what it has.
inline std::unexpected<Error> wrong_setting(std::string_view key, std::string_view expected, const Json& got) {
  return fail(Errc::invalid_input, std::string(key) + " must be " + std::string(expected) + ", not " +
                                       to_json(got).substr(0, kWrongValueShownBytes));
}

}  // namespace deft
