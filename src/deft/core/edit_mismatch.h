#pragma once

#include <string>
#include <string_view>

namespace deft {

// Why `wanted` does not occur in `text`, as far as that can be told, in one sentence that says what to do.
std::string explain_mismatch(std::string_view text, std::string_view wanted);

}  // namespace deft
