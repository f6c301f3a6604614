#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/core/schema_program.h"

// Values, types and names put into words for messages. Everything is cut: a value may be megabytes long.

namespace deft::schema {

inline constexpr std::size_t kShownValueCharactersMax = 80;
inline constexpr std::size_t kShownValuesMax = 12;
inline constexpr std::size_t kComparedNamesMax = 500;  // for nearest_name(), which takes long

// The value as JSON, cut.
std::string short_json(const Json& value);
// The text in quotes, cut.
std::string short_text(std::string_view text);
// A value with its type before it: string "5".
std::string describe_value(const Json& value);
// "string or null"
std::string describe_types(TypeSet types);
// "1 item", "3 items"
std::string count_of(std::uint64_t count, std::string_view noun);
// "a", "b" and 7 more
std::string list_of(const std::vector<Json>& values);
// `names` may be only the first of `total` ones.
std::string list_of(const std::vector<std::string>& names, std::size_t total);

// The one of `names` that was obviously meant by `name`, or empty.
std::string nearest_name(std::string_view name, const std::vector<std::string>& names);

}  // namespace deft::schema
