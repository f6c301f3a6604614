#include "deft/model/event_json.h"

#include <algorithm>

#include "deft/base/utf8.h"

namespace deft {

Result<Json> parse_event(std::string_view data) {
  const JsonLimits lenient{.replace_lone_surrogates = true};
  auto event = parse_json(data, lenient);
  if (!event && !is_utf8(data)) event = parse_json(to_valid_utf8(data), lenient);
  if (!event) return malformed("an event is not valid JSON: " + event.error().message);
  return event;
}

std::unexpected<Error> malformed(std::string_view what) {
  return fail(Errc::invalid_json, "malformed stream: " + std::string(what));
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

std::optional<ProviderError> read_provider_error(const Json* error) {
  if (!error) return std::nullopt;
  if (error->is_string()) {
    if (error->get_string().empty()) return std::nullopt;
    return ProviderError{std::string(view(error->get_string())), ""};
  }
  if (!error->is_object()) return std::nullopt;
  std::string code = string_or_empty(*error, "type");
  if (code.empty()) code = string_or_empty(*error, "code");
  if (const auto number = find_int(*error, "code"); number && code.empty()) code = std::to_string(*number);
  std::string message = string_or_empty(*error, "message");
  if (message.empty()) message = to_json(*error);
  return ProviderError{std::move(message), std::move(code)};
}

std::optional<ProviderError> find_provider_error(const Json& event) {
  if (auto error = read_provider_error(find(event, "error"))) return error;
  if (find_string(event, "type") != "error") return std::nullopt;
  auto error = read_provider_error(&event);
  error->code = string_or_empty(event, "code");
  return error;
}

JsonObject without(const JsonObject& object, std::initializer_list<std::string_view> keys) {
  JsonObject rest;
  for (const auto& [key, value] : object) {
    if (std::find(keys.begin(), keys.end(), std::string_view(key.data(), key.size())) == keys.end()) {
      rest.emplace(key, value);
    }
  }
  return rest;
}

std::string string_or_empty(const Json& value, std::string_view key) {
  return std::string(find_string(value, key).value_or(std::string_view()));
}

std::optional<std::string_view> raw_at(std::string_view text, std::initializer_list<PathStep> path) {
  for (const PathStep& step : path) {
    if (const auto* key = std::get_if<std::string_view>(&step)) {
      const auto member = raw_member(text, *key);
      if (!member) return std::nullopt;
      text = *member;
    } else {
      const auto elements = raw_elements(text);
      const std::size_t at = std::get<std::size_t>(step);
      if (at >= elements.size()) return std::nullopt;
      text = elements[at];
    }
  }
  return text;
}

}  // namespace deft
