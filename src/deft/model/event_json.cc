#include "deft/model/event_json.h"

#include <algorithm>
#include <charconv>

#include "deft/base/utf8.h"
#include "deft/core/pair_joiner.h"

namespace deft {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::size_t kEscapeBytes = 6;  // "\ud83d"

// The half of a pair that this escape stands for, if it stands for one of `from` … `from` + 0x3FF.
std::optional<char16_t> read_half(std::string_view escape, unsigned from) {
  if (escape.size() != kEscapeBytes || !escape.starts_with("\\u")) return std::nullopt;
  unsigned code = 0;
  const auto [end, error] = std::from_chars(escape.data() + 2, escape.data() + escape.size(), code, 16);
  if (error != std::errc() || end != escape.data() + escape.size()) return std::nullopt;
  if (code < from || code > from + 0x3FF) return std::nullopt;
  return static_cast<char16_t>(code);
}

bool is_escape_at_end(std::string_view literal) {
  if (literal.size() < kEscapeBytes) return false;
  const std::string_view before = literal.substr(0, literal.size() - kEscapeBytes);
  const std::size_t plain = before.find_last_not_of('\\');
  const std::size_t backslashes = before.size() - (plain == std::string_view::npos ? 0 : plain + 1);
  return backslashes % 2 == 0;  // else the last backslash is itself an escaped one
}

// The text of a JSON string without its quotes, with the halves at its edges.
std::string with_halves(std::string_view literal) {
  std::string first;
  std::string last;
  if (const auto half = read_half(literal.substr(0, kEscapeBytes), 0xDC00)) {
    first = half_pair_bytes(*half);
    literal.remove_prefix(kEscapeBytes);
  }
  if (is_escape_at_end(literal)) {
    if (const auto half = read_half(literal.substr(literal.size() - kEscapeBytes), 0xD800)) {
      last = half_pair_bytes(*half);
      literal.remove_suffix(kEscapeBytes);
    }
  }
  const auto middle = parse_event('"' + std::string(literal) + '"');
  return first + (middle && middle->is_string() ? std::string(view(middle->get_string())) : "") + last;
}

}  // namespace

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
  const bool is_error = find_string(event, "type") == "error";
  if (!is_error && find_string(event, "object") != "error") return std::nullopt;  // the other one: older vLLM
  auto error = read_provider_error(&event);
  if (is_error) error->code = string_or_empty(event, "code");
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

std::string piece_of(const Json& object, std::string_view key, std::string_view text,
                     std::initializer_list<PathStep> path) {
  const std::string_view piece = find_string(object, key).value_or(std::string_view());
  if (!piece.starts_with(kReplacement) && !piece.ends_with(kReplacement)) return std::string(piece);
  auto raw = raw_at(text, path);
  if (raw) raw = raw_member(*raw, key);
  if (!raw || raw->size() < 2 || raw->front() != '"') return std::string(piece);
  return with_halves(raw->substr(1, raw->size() - 2));
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
