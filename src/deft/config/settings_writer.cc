#include "deft/config/settings_writer.h"

#include <functional>
#include <optional>

#include "deft/base/json.h"

namespace deft {
namespace {

// Where something new goes into the text, and how.
struct Insertion {
  std::size_t at = 0;
  std::string text;
};

std::size_t offset_in(std::string_view whole, std::string_view part) {
  return static_cast<std::size_t>(part.data() - whole.data());
}

// The blanks before the first thing inside an object or list, so that what is added stands as the others do.
std::string blanks_inside(std::string_view container) {
  const std::size_t end = container.find_first_not_of(" \t\r\n", 1);
  return std::string(container.substr(1, end - 1));
}

// The indentation of the line that this place is in.
std::string indentation_at(std::string_view text, std::size_t place) {
  const std::size_t line = text.rfind('\n', place);
  const std::size_t start = line == std::string_view::npos ? 0 : line + 1;
  const std::size_t end = text.find_first_not_of(" \t", start);
  return std::string(text.substr(start, end - start));
}

// Puts `entry` behind the last thing in an object or list.
Insertion append_to(std::string_view text, std::string_view container, std::string_view entry) {
  const std::size_t start = offset_in(text, container);
  const std::size_t last = container.find_last_not_of(" \t\r\n", container.size() - 2);
  if (last == 0) {  // it is empty
    const std::string outer = indentation_at(text, start);
    return {start + 1, "\n" + outer + "  " + std::string(entry) +
                           (container.find('\n') == std::string_view::npos ? "\n" + outer : "")};
  }
  return {start + last + 1, "," + blanks_inside(container) + std::string(entry)};
}

std::string inserted(std::string_view text, const Insertion& insertion) {
  return std::string(text.substr(0, insertion.at)) + insertion.text + std::string(text.substr(insertion.at));
}

bool is_blank(std::string_view settings) { return settings.find_first_not_of(" \t\r\n") == std::string_view::npos; }

Result<void> check_object(std::string_view settings) {
  const auto json = parse_json(settings);
  if (!json) return std::unexpected(json.error());
  if (!json->is_object()) return fail(Errc::invalid_input, "the settings are not a JSON object");
  return {};
}

std::string_view whole_object(std::string_view settings) {
  const std::size_t begin = settings.find('{');
  return settings.substr(begin, settings.rfind('}') + 1 - begin);
}

Result<void> write(const std::string& file, const ChangeFile& change_file,
                   const std::function<Result<std::string>(std::string_view text)>& changed_text) {
  return change_file(file, [&](const std::string& text) -> Result<std::string> {
    auto changed = changed_text(text);
    if (!changed) return fail(changed.error().code, file + ": " + changed.error().message);
    return changed;
  });
}

}  // namespace

Result<std::string> with_value(std::string_view settings, std::string_view key, const Json& value) {
  const std::string member = json_quote(key) + ": " + to_json(value);
  if (is_blank(settings)) return "{\n  " + member + "\n}\n";
  if (auto good = check_object(settings); !good) return std::unexpected(good.error());
  const auto old = raw_member(settings, key);
  if (!old) return inserted(settings, append_to(settings, whole_object(settings), member));
  const std::size_t at = offset_in(settings, *old);
  return std::string(settings.substr(0, at)) + to_json(value) + std::string(settings.substr(at + old->size()));
}

Result<std::string> with_rule(std::string_view settings, RuleList list, std::string_view rule) {
  if (auto parsed = parse_rule(rule); !parsed) return std::unexpected(parsed.error());
  const std::string key(to_string(list));
  const std::string quoted = json_quote(rule);
  if (is_blank(settings)) {
    return "{\n  \"permissions\": {\n    \"" + key + "\": [\n      " + quoted + "\n    ]\n  }\n}\n";
  }
  const auto json = parse_json(settings);
  if (!json) return std::unexpected(json.error());
  if (!json->is_object()) return fail(Errc::invalid_input, "the settings are not a JSON object");
  const std::string_view whole = whole_object(settings);
  const auto permissions = raw_member(settings, "permissions");
  if (!permissions) {
    return inserted(settings, append_to(settings, whole, "\"permissions\": {\"" + key + "\": [" + quoted + "]}"));
  }
  if (!permissions->starts_with('{')) return fail(Errc::invalid_input, "\"permissions\" is not an object");
  const auto rules = raw_member(*permissions, key);
  if (!rules) return inserted(settings, append_to(settings, *permissions, "\"" + key + "\": [" + quoted + "]"));
  if (!rules->starts_with('[')) return fail(Errc::invalid_input, "\"" + key + "\" is not a list");
  for (const Json& known : *find_array(*find(*json, "permissions"), key)) {
    if (known.is_string() && view(known.get_string()) == rule) return std::string(settings);
  }
  return inserted(settings, append_to(settings, *rules, quoted));
}

Result<void> write_value(const std::string& file, std::string_view key, const Json& value,
                         const ChangeFile& change_file) {
  return write(file, change_file, [&](std::string_view text) { return with_value(text, key, value); });
}

Result<void> write_rule(const std::string& file, RuleList list, std::string_view rule, const ChangeFile& change_file) {
  return write(file, change_file, [&](std::string_view text) { return with_rule(text, list, rule); });
}

}  // namespace deft
