#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace deft {

// How many columns of a terminal a text of one line takes: signs of East Asia and pictures take two, marks on the
// letter before them none.
std::size_t count_columns(std::string_view text);
// As much of its beginning as has room, with "…" in place of the rest.
std::string cut_to_columns(std::string_view text, std::size_t columns_max);

}  // namespace deft
