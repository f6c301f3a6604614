#include "deft/ui/tools_markdown.h"

#include <algorithm>

#include "deft/base/text.h"
#include "deft/tools/shown_definitions.h"

namespace deft {
namespace {

constexpr std::string_view kPreface = R"(# Tools

The tools that come with deft, as they declare themselves. `deft tools` lists them, `deft tools --json` prints their
definitions for a model, and `deft tools --markdown > docs/tools.md` made this page.
)";

std::string with_separators(std::size_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

// A cell of a table is one line, and a bar would end it.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string choices(const JsonArray& values) {
  std::string text;
  for (const Json& value : values) text += (text.empty() ? "`" : ", `") + to_json(value) + "`";
  return text;
}

std::string type_of(const Json& property) {
  if (const JsonArray* values = find_array(property, "enum")) return choices(*values);
  return std::string(find_string(property, "type").value_or("any"));
}

std::string meaning_of(const Json& property) {
  std::string text(find_string(property, "description").value_or(""));
  const Json* initial = find(property, "default");
  if (initial) text += (text.empty() ? "Default: `" : " Default: `") + to_json(*initial) + "`.";
  return text;
}

bool is_required(const Json& schema, std::string_view name) {
  const JsonArray* required = find_array(schema, "required");
  return required && std::ranges::any_of(
                         *required, [&](const Json& one) { return one.is_string() && view(one.get_string()) == name; });
}

std::string inputs(const Json& schema) {
  const JsonObject* properties = find_object(schema, "properties");
  if (!properties || properties->empty()) return "It takes no input.\n";
  std::string text = "| input | type | meaning |\n|---|---|---|\n";
  for (const auto& [key, property] : *properties) {
    const std::string_view name(key.data(), key.size());
    text += "| `" + std::string(name) + "`" + (is_required(schema, name) ? " (required)" : "") + " | " +
            cell(type_of(property)) + " | " + cell(meaning_of(property)) + " |\n";
  }
  return text;
}

std::string habits(const ToolSpec& spec) {
  std::string text;
  if (!spec.aliases.empty()) text += "Also called " + join(spec.aliases, ", ") + ". ";
  text += spec.result_characters_max == kUnlimited
              ? "It bounds its result itself. "
              : "A result of more than " + with_separators(spec.result_characters_max) +
                    " characters is kept in a file, and the model gets its " +
                    (spec.result_kept == KeptPart::both ? "beginning and its end. " : "beginning. ");
  text += spec.on_interrupt == OnInterrupt::cancel ? "A new message of the user's stops it."
                                                   : "A new message of the user's waits for it.";
  if (spec.failure_cancels_siblings) text += " When it fails, later ones of the same message are cancelled.";
  return text + "\n";
}

}  // namespace

std::string tools_markdown(const ToolPool& pool) {
  std::string page(kPreface);
  const SessionState session;
  for (const RegisteredTool& entry : pool.advertised()) {
    const ToolSpec& spec = entry.tool->spec();
    // A list needs an empty line before it.
    std::string description = description_of(*entry.tool, session);
    if (const std::size_t list = description.find("\n- "); list != std::string::npos) description.insert(list, "\n");
    page += "\n## " + spec.name + "\n\n" + description + "\n\n" + inputs(spec.input_schema) + "\n" + habits(spec);
  }
  return page;
}

}  // namespace deft
