#pragma once

#include <cstddef>
#include <string>

#include "deft/core/timeline.h"

namespace deft {

// timeline_text() for a terminal: what strangers wrote stands there as safe_display() shows it.
std::string timeline_display(const Timeline& timeline, std::size_t width);

}  // namespace deft
