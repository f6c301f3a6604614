#pragma once

#include <string>

namespace deft {

// A stranger's text without what nobody sees in it and a reader is misled by: control characters (and with them escape
// sequences of terminals), marks that turn the order of letters around, invisible characters in which a second text can
// be hidden. Line ends of every kind become \n. What shapes letters and pictures (joiners, variants, marks of
// direction) stays. The text is UTF-8.
std::string visible_text(std::string text);

}  // namespace deft
