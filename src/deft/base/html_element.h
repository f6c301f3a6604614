#pragma once

#include <optional>
#include <string>
#include <string_view>

// What an element of an HTML document says about itself in its attributes.

namespace deft {

// Nobody sees it: `hidden`, a closed dialog, a style that hides, the numbers of lines beside code.
bool is_hidden_element(std::string_view tag, std::string_view attributes);

// The language of code, by the classes that are usual for it: "language-cpp", "highlight-source-cpp", "brush: cpp" … An
// empty one: it is just text. Nothing: nothing is said.
std::optional<std::string> code_language(std::string_view attributes);

// An address as it may stand in Markdown: a bracket without its other half would end it.
std::string link_target(std::string address);

}  // namespace deft
