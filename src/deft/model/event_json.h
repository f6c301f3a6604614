#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "deft/base/json.h"

// What the decoders of all providers share: reading the JSON of one stream event.

namespace deft {

// The data of one event. Bytes that are not UTF-8 and halves of surrogate pairs become U+FFFD: a provider's slip in one
// character must not cost the message.
Result<Json> parse_event(std::string_view data);

// An event that breaks its API's rules.
std::unexpected<Error> malformed(std::string_view what);

bool is_blank(std::string_view text);

struct ProviderError {
  std::string message;
  std::string code;  // type or code, as the provider calls it
};
// {"error":{…}}, {"error":"…"}, {"type":"error",…}, {"object":"error",…}: the shapes in which an answer that began well
// ends badly.
std::optional<ProviderError> find_provider_error(const Json& event);
// The same from the value of an "error" member alone.
std::optional<ProviderError> read_provider_error(const Json* error);

// A copy without some members.
JsonObject without(const JsonObject& object, std::initializer_list<std::string_view> keys);

// find_string, with the empty string for "nothing".
std::string string_or_empty(const Json& value, std::string_view key);

// The bytes of a value inside `text`, by the keys and positions that lead to it. `text` is valid JSON.
using PathStep = std::variant<std::string_view, std::size_t>;
std::optional<std::string_view> raw_at(std::string_view text, std::initializer_list<PathStep> path);

// A string of an event that is a piece of a longer text: its `key` in `object`, which stands at `path` in `text`. Where
// it begins or ends with half of a surrogate pair, that half is kept (core/pair_joiner.h): the other half may have come
// with another event.
std::string piece_of(const Json& object, std::string_view key, std::string_view text,
                     std::initializer_list<PathStep> path);

}  // namespace deft
