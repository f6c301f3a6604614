#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace deft {

// "; is --output-format meant?": the end of a message about a word that is none of these, where one of them is near or
// only begun. Empty if none is.
std::string meant_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace deft
