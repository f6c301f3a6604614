#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"

// The only door to JSON. Strict (RFC 8259), bounded, refuses duplicate keys, keeps the order of keys, reads and
// writes numbers exactly. Whatever must pass through untouched keeps its raw text beside the value: raw_members().

namespace deft {

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;

inline constexpr std::size_t kJsonBytesMax = std::size_t{64} << 20;
inline constexpr std::size_t kJsonDepthMax = 128;

struct JsonLimits {
  std::size_t bytes_max = kJsonBytesMax;
  std::size_t depth_max = kJsonDepthMax;
  // JavaScript writes half a surrogate pair as "\ud83d". True: it becomes U+FFFD. False: it is an error.
  bool replace_lone_surrogates = false;
};

// The error's message begins with "line L, column C: ".
Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

// Compact, one line, always valid UTF-8 and valid JSON.
std::string to_json(const Json& value);
std::string to_json(const JsonObject& object);
std::string to_json(const JsonArray& array);
// The same, at the end of a text.
void append_json(std::string& out, const Json& value);
void append_json_integer(std::string& out, std::int64_t number);
// Appends `text` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);
std::string json_quote(std::string_view text);

struct RawMember {
  std::string key;         // decoded
  std::string_view value;  // the bytes of the value as they stand in the text
};
// The members of an object and the elements of an array as spans of `text`, which parse_json() has accepted.
std::vector<RawMember> raw_members(std::string_view text);
std::vector<std::string_view> raw_elements(std::string_view text);
std::optional<std::string_view> raw_member(std::string_view text, std::string_view key);

// Look-ups that answer "nothing" for a missing key, a wrong type, or a value that is not an object. Each takes an
// object itself, too: else it would become a value of its own for the call, and the answer would point into what is
// gone.
const Json* find(const Json& value, std::string_view key);
const Json* find(const JsonObject& object, std::string_view key);
std::optional<std::string_view> find_string(const Json& value, std::string_view key);
std::optional<std::string_view> find_string(const JsonObject& object, std::string_view key);
std::optional<std::int64_t> find_int(const Json& value, std::string_view key);
std::optional<std::int64_t> find_int(const JsonObject& object, std::string_view key);
std::optional<double> find_number(const Json& value, std::string_view key);
std::optional<double> find_number(const JsonObject& object, std::string_view key);
std::optional<bool> find_bool(const Json& value, std::string_view key);
std::optional<bool> find_bool(const JsonObject& object, std::string_view key);
const JsonArray* find_array(const Json& value, std::string_view key);
const JsonArray* find_array(const JsonObject& object, std::string_view key);
const JsonObject* find_object(const Json& value, std::string_view key);
const JsonObject* find_object(const JsonObject& object, std::string_view key);

inline std::string_view view(const boost::json::string& text) { return {text.data(), text.size()}; }

}  // namespace deft
