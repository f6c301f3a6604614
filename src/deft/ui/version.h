#pragma once

#include <string>

namespace deft {

// Whose lines `deft -p --output-format stream-json` speaks: SDKs look at the first number that `-v` prints and refuse,
// or warn about, what they take for too old.
inline constexpr const char* kProtocolVersion = "2.1.325";

// "2.1.325 (deft 0.1.0)"
inline std::string version_text() { return std::string(kProtocolVersion) + " (deft " DEFT_VERSION ")"; }

}  // namespace deft
