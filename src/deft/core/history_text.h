#pragma once

#include <cstddef>
#include <string>

#include "deft/core/history.h"

namespace deft {

inline constexpr std::size_t kToldResultCharactersMax = 2'000;  // of one call's input or result

// A conversation as plain text, for somebody who is asked about it and takes no part in it: who said what, which calls
// were made and what came of them. At most `characters_max` characters of it, the newest; what a model only thought is
// left out.
std::string history_text(const History& history, std::size_t characters_max);

}  // namespace deft
