#pragma once

#include <optional>
#include <string_view>

#include "deft/base/character_table.h"
#include "deft/base/encoding.h"

// Encodings from before Unicode, other than Windows-1252.

namespace deft {

inline constexpr std::size_t kEncodingSampleBytesMax = std::size_t{64} << 10;

std::string_view legacy_name(Encoding encoding);  // empty: not one of them

// Made on first use. Null: not one of them, or this system's iconv does not have it.
const CharacterTable* legacy_table(Encoding encoding);

// Which of them these bytes, which are not UTF-8, are probably written in, judged by how often characters occur and
// follow each other. That is what the library uchardet knows; it is loaded on first use, and where it is missing the
// answer is nothing, as it is when too few bytes speak, or when a single byte is no character of the encoding.
std::optional<Encoding> guess_legacy_encoding(std::string_view bytes);

}  // namespace deft
