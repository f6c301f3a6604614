#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace deft {

// One line of at most `characters_max` characters: white space folded, control characters dropped, "…" where it was
// cut.
std::string one_line(std::string_view text, std::size_t characters_max);

// "512 B", "51.2 KB", "3.4 MB".
std::string human_bytes(std::size_t bytes);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

// Is it one of the words, which are separated by single blanks?
bool is_among_words(std::string_view word, std::string_view words);

}  // namespace deft
