#pragma once

#include <string>

namespace deft {

// docs/settings.md.
std::string settings_markdown();

}  // namespace deft
