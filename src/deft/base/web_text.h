#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "deft/base/encoding.h"

namespace deft {

// "latin1", "GBK" … as the web writes it: can it be read?
bool is_known_charset(std::string_view label);
// Those of them that we read ourselves; nothing: not among them.
std::optional<Encoding> encoding_of_label(std::string_view label);

// What the first bytes of a page say about its own encoding: <meta charset=…>, <meta … content="…; charset=…">.
std::string charset_in_html(std::string_view bytes);

// Bytes as valid UTF-8: by their mark, else by the label, else by what they look like.
std::string web_text(std::string_view bytes, std::string_view label);

}  // namespace deft
