#pragma once

#include <string>

#include "deft/core/timeline.h"

namespace deft {

inline constexpr std::size_t kDrawnCallsMax = 500;  // each in a row of its own

// A picture of it: a row for the model of each agent, a row for each call with what it waited for and its stages, time
// from left to right; of very many calls those that did not overlap share a row. Needs nothing but itself: no script,
// no font, nothing from the network; light and dark. What strangers wrote (titles, names) is text and nothing else.
std::string timeline_svg(const Timeline& timeline);
// The same on a page, with the figures in words.
std::string timeline_html(const Timeline& timeline);

}  // namespace deft
