#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deft::schema {

// References between schemas are URIs (RFC 3986). They are names here: compared, never opened.

struct UriAndFragment {
  std::string_view uri;
  std::string_view fragment;  // without its '#'
};
UriAndFragment split_fragment(std::string_view reference);

// Section 5.2: what `reference` (without fragment) means inside a document called `base`.
std::string resolve_uri(std::string_view base, std::string_view reference);

// Nothing if a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace deft::schema
