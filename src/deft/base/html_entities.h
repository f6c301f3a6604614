#pragma once

#include <string>
#include <string_view>

namespace deft {

// Text of an HTML document with its character references ("&amp;", "&#8364;", "&copy") as the characters that they
// mean, by the rules of the WHATWG. In a value of an attribute fewer of them count.
std::string decode_html(std::string_view text, bool in_attribute = false);

std::string_view html_entity_table();  // html_entity_table.cc

}  // namespace deft
