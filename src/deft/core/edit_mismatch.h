#pragma once

#include <string>
#include <string_view>

namespace deft {

// Why `wanted` does not occur in `text`, as far as that can be told, in one sentence that says what to do. `name` is
// what the sentence calls it.
std::string explain_mismatch(std::string_view text, std::string_view wanted, std::string_view name = "old_string");

}  // namespace deft
