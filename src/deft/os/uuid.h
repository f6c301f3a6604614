#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace deft {

// A random one (RFC 9562, version 4): "3f2a…-…", in lower case.
std::string random_uuid();
// Any version, in either case.
bool is_uuid(std::string_view text);

// Names of what belongs together: the n-th after a first one, and which it is. They differ in their last four digits.
std::string nth_uuid(std::string_view first, std::uint16_t n);
std::optional<std::uint16_t> uuid_distance(std::string_view first, std::string_view uuid);  // nothing: of another

}  // namespace deft
