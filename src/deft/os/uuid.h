#pragma once

#include <string>
#include <string_view>

namespace deft {

// A random one (RFC 9562, version 4): "3f2a…-…", in lower case.
std::string random_uuid();
// Any version, in either case.
bool is_uuid(std::string_view text);

}  // namespace deft
