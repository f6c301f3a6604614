#include "deft/config/settings_writer.h"

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

}  // namespace

Result<std::string> with_rule(std::string_view settings, RuleList list, std::string_view rule) {
  if (auto parsed = parse_rule(rule); !parsed) return std::unexpected(parsed.error());
  const std::string key(to_string(list));
  const std::string quoted = json_quote(rule);
  if (settings.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return "{\n  \"permissions\": {\n    \"" + key + "\": [\n      " + quoted + "\n    ]\n  }\n}\n";
  }
  const auto json = parse_json(settings);
  if (!json) return std::unexpected(json.error());
  if (!json->is_object()) return fail(Errc::invalid_input, "the settings are not a JSON object");
  const std::size_t begin = settings.find('{');
  const std::string_view whole = settings.substr(begin, settings.rfind('}') + 1 - begin);
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

Result<void> write_rule(const std::string& file, RuleList list, std::string_view rule, const ChangeFile& change_file) {
  return change_file(file, [&](const std::string& text) -> Result<std::string> {
    auto changed = with_rule(text, list, rule);
    if (!changed) return fail(changed.error().code, file + ": " + changed.error().message);
    return changed;
  });
}

}  // namespace deft
