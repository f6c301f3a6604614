#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"

// Every key that deft reads in its settings files: what the page about them is made from, and how a slip of the pen is
// noticed. Other tools share these files, so a key that is not known is left alone.

namespace deft {

struct KnownSetting {
  std::string_view section;  // of the page
  std::string_view key;      // "shell.limits.memoryMb"; a * stands for a name of the user's
  std::string_view values;   // what it may be, the default first where there is one
  std::string_view meaning;  // Markdown
};
std::span<const KnownSetting> known_settings();

// Of a file's content: a sentence for each key that is not known and was obviously meant to be one that is.
std::vector<std::string> mistyped_settings(const Json& settings);

}  // namespace deft
