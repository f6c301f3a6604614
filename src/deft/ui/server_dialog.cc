#include "deft/ui/server_dialog.h"

#include <charconv>
#include <utility>

#include "deft/core/schema.h"
#include "deft/ui/safe_display.h"

namespace deft {
namespace {

constexpr std::string_view kFormPrompt = "[y] fill it in  [n] decline  [c] not now > ";
constexpr std::string_view kPagePrompt = "[y] yes, I visit it myself  [n] decline  [c] not now > ";
constexpr std::string_view kSamplingPrompt = "[y] let it ask  [n] decline > ";
constexpr std::string_view kPromptAgain = "Enter leaves it out, - declines the whole form > ";
constexpr std::string_view kPromptRequired = "it is required; - declines the whole form > ";

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

struct Option {
  std::string value;
  std::string title;
};

// What may be chosen from, in the two ways in which schemas say it; empty: anything.
std::vector<Option> options_of(const Json& schema) {
  std::vector<Option> options;
  if (const JsonArray* values = find_array(schema, "enum")) {
    const JsonArray* titles = find_array(schema, "enumNames");
    for (std::size_t i = 0; i < values->size(); ++i) {
      if (!(*values)[i].is_string()) continue;
      const std::string value((*values)[i].get_string());
      const bool has_title = titles && i < titles->size() && (*titles)[i].is_string();
      options.push_back({value, has_title ? std::string((*titles)[i].get_string()) : value});
    }
  }
  for (const char* key : {"oneOf", "anyOf"}) {
    const JsonArray* choices = find_array(schema, key);
    if (!choices) continue;
    for (const Json& choice : *choices) {
      const auto value = find_string(choice, "const");
      if (value) options.push_back({std::string(*value), std::string(find_string(choice, "title").value_or(*value))});
    }
  }
  return options;
}

std::optional<std::string> chosen(const std::vector<Option>& options, std::string_view word) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool is_number = error == std::errc() && end == word.data() + word.size();
  if (is_number && number >= 1 && number <= options.size()) return options[number - 1].value;
  for (const Option& option : options) {
    if (option.value == word) return option.value;
  }
  return std::nullopt;
}

std::optional<Json> several_chosen(const std::vector<Option>& options, std::string_view line) {
  JsonArray values;
  while (true) {
    const std::size_t comma = std::min(line.find(','), line.size());
    const auto value = chosen(options, trimmed(line.substr(0, comma)));
    if (!value) return std::nullopt;
    values.emplace_back(*value);
    if (comma == line.size()) return values;
    line.remove_prefix(comma + 1);
  }
}

// What was typed, as the field wants it; nothing: it is none of that.
std::optional<Json> value_of(const Json& schema, std::string_view line) {
  const std::string_view type = find_string(schema, "type").value_or("string");
  if (type == "boolean") {
    if (line == "y" || line == "yes" || line == "true") return true;
    if (line == "n" || line == "no" || line == "false") return false;
    return std::nullopt;
  }
  if (type == "integer") {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
    return number;
  }
  if (type == "number") {
    double number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
    return number;
  }
  if (type == "array") {
    const Json* items = find(schema, "items");
    return items ? several_chosen(options_of(*items), line) : std::nullopt;
  }
  const auto options = options_of(schema);
  if (options.empty()) return Json(boost::json::string_view(line));
  const auto value = chosen(options, line);
  return value ? std::optional<Json>(Json(*value)) : std::nullopt;
}

std::string_view hint_for(const Json& schema) {
  const std::string_view type = find_string(schema, "type").value_or("string");
  if (type == "boolean") return "y or n";
  if (type == "integer") return "a whole number";
  if (type == "number") return "a number";
  if (type == "array") return "numbers with commas";
  return options_of(schema).empty() ? "text" : "a number from the list";
}

std::string_view host_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return "(no host)";
  url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  const std::size_t user = url.rfind('@');  // who writes a name before it wants to be mistaken
  return user == std::string_view::npos ? url : url.substr(user + 1);
}

}  // namespace

ServerDialog::ServerDialog(ServerAsked asked) : asked_(std::move(asked)) {
  const JsonObject* properties = find_object(asked_.details, "properties");
  if (asked_.kind != PromptKind::elicitation_form || !properties) return;
  for (const auto& [name, schema] : *properties) {
    if (fields_.size() == kFormFieldsMax) break;
    bool is_required = false;
    if (const JsonArray* required = find_array(asked_.details, "required")) {
      for (const Json& key : *required) is_required = is_required || (key.is_string() && key.get_string() == name);
    }
    fields_.push_back({std::string(name), schema, is_required});
  }
}

std::string ServerDialog::opening() const {
  std::string out = "\n--- the server " + safe_display(asked_.server);
  switch (asked_.kind) {
    case PromptKind::elicitation_url:
      out += " asks you to visit a page\n" + quoted_display(asked_.message);
      out += "host: " + safe_display(host_of(asked_.url)) + "\naddress:\n" + quoted_display(asked_.url);
      return out.append(kPagePrompt);
    case PromptKind::sampling:
      out += " wants to ask the model\n" + quoted_display(asked_.message);
      if (!asked_.details.is_null()) out += "the request:\n" + quoted_display(to_json(asked_.details));
      return out.append(kSamplingPrompt);
    default: break;
  }
  out += " asks you for something; what you type goes to it\n" + quoted_display(asked_.message);
  for (const Field& field : fields_) {
    out += "  " + safe_display(field.name) + (field.is_required ? " (required)" : "") + "\n";
  }
  return out.append(kFormPrompt);
}

ServerAnswer ServerDialog::answer(ServerAnswer::Action action, Json content) const {
  return {.id = asked_.id, .action = action, .content = std::move(content)};
}

ServerDialog::Step ServerDialog::take_line(std::string_view line) {
  line = trimmed(line);
  if (state_ == State::fields) return take_field(line);
  if (line == "n") return {.text = "declined\n", .answer = answer(ServerAnswer::Action::decline)};
  if (line == "c" && asked_.kind != PromptKind::sampling) {
    return {.text = "not now\n", .answer = answer(ServerAnswer::Action::cancel)};
  }
  if (line != "y") return {.text = opening(), .answer = {}};
  if (asked_.kind == PromptKind::elicitation_form) return begin_form();
  return {.text = "accepted\n", .answer = answer(ServerAnswer::Action::accept)};
}

ServerDialog::Step ServerDialog::begin_form() {
  state_ = State::fields;
  next_ = 0;
  content_.clear();
  return fields_.empty() ? end_form() : Step{.text = field_prompt(), .answer = {}};
}

std::string ServerDialog::field_prompt() const {
  const Field& field = fields_[next_];
  const std::string_view title = find_string(field.schema, "title").value_or(field.name);
  std::string out =
      "\n" + safe_display(title) + "  (" + std::to_string(next_ + 1) + " of " + std::to_string(fields_.size()) + ")\n";
  const std::string_view description = find_string(field.schema, "description").value_or("");
  if (!description.empty()) out += quoted_display(description);
  const Json* items = find(field.schema, "items");
  std::size_t number = 0;
  for (const Option& option : options_of(items ? *items : field.schema)) {
    out += "  " + std::to_string(++number) + ". " + safe_display(option.title) + "\n";
  }
  out.append(hint_for(field.schema)).append("; ");
  return out.append(field.is_required ? kPromptRequired : kPromptAgain);
}

ServerDialog::Step ServerDialog::take_field(std::string_view line) {
  const Field& field = fields_[next_];
  if (line == "-") return {.text = "declined\n", .answer = answer(ServerAnswer::Action::decline)};
  if (line.empty() && field.is_required) return {.text = field_prompt(), .answer = {}};
  if (!line.empty()) {
    auto value = value_of(field.schema, line);
    if (!value) return {.text = field_prompt(), .answer = {}};
    content_[field.name] = std::move(*value);
  }
  if (++next_ < fields_.size()) return {.text = field_prompt(), .answer = {}};
  return end_form();
}

ServerDialog::Step ServerDialog::end_form() {
  const auto schema = Schema::compile(asked_.details.is_null() ? Json(JsonObject{}) : asked_.details);
  const auto problems = schema ? schema->validate(content_) : std::vector<SchemaProblem>{};
  if (problems.empty()) {
    return {.text = "sent to the server\n", .answer = answer(ServerAnswer::Action::accept, content_)};
  }
  std::string text = "The server does not want it so:\n";
  for (const SchemaProblem& problem : problems) {
    text += "  " + safe_display(problem.path) + ": expected " + safe_display(problem.expected) + "\n";
  }
  state_ = State::choice;
  return {.text = text.append(kFormPrompt), .answer = {}};
}

}  // namespace deft
