#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Which types a source defines for all others to see. Two definitions of one name in one namespace are one type to the
// linker, which takes either and says nothing: what is copied as the one and destroyed as the other breaks somewhere
// else.

namespace deft {

struct DefinedType {
  std::string name;  // with its namespaces: "deft::testing::HttpPeer"
  std::size_t line = 0;

  friend bool operator==(const DefinedType&, const DefinedType&) = default;
};

// Structs, classes, unions and enums that stand in a namespace with a name, in the order of the text; those inside of
// others are the others' own, and so is what only this file sees. Reads plain C++: macros are not expanded.
std::vector<DefinedType> types_defined_in(std::string_view text);

}  // namespace deft
