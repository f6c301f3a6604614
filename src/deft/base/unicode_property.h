#pragma once

#include <optional>
#include <string_view>

#include "deft/base/code_point_set.h"

namespace deft {

// What `\p{name}` stands for: a general category ("L", "Uppercase_Letter", "gc=Lu"), a script ("Greek", "sc=Greek",
// "scx=Greek") or a binary property ("Alphabetic", "Emoji"); case, spaces, '_' and '-' do not matter. Nothing if there
// is no such property. Takes some ten milliseconds the first time, as PCRE2's tables are asked for every code point.
std::optional<CodePointSet> unicode_property(std::string_view name);

}  // namespace deft
