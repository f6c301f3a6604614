#pragma once

#include <string>

#include "deft/core/timeline.h"

namespace deft {

// A picture of it in characters, for terminals: a line for the model and one for each call. `width` of the whole.
// Control characters that strangers wrote are left out.
std::string timeline_text(const Timeline& timeline, std::size_t width);

}  // namespace deft
