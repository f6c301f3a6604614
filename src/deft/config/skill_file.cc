#include "deft/config/skill_file.h"

#include <algorithm>
#include <utility>

#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/config/front_matter.h"

namespace deft {
namespace {

constexpr std::size_t kFirstLineCharactersMax = 200;

// The first line that says something, without the marks of a heading or a list.
std::string first_line(std::string_view body) {
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    std::string_view line = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    line.remove_prefix(std::min(line.find_first_not_of("#*->` \t\r"), line.size()));
    if (!line.empty()) return one_line(line, kFirstLineCharactersMax);
  }
  return "";
}

// Reads one key after another; the first that is wrong ends it.
class Fields {
 public:
  explicit Fields(const JsonObject& values) : values_(values) {}

  void text(std::string_view key, std::string& to) {
    if (auto value = take(text_field(values_, key))) to = *std::move(value);
  }
  void truth(std::string_view key, bool& to) {
    if (const auto value = take(bool_field(values_, key))) to = *value;
  }
  void words(std::string_view key, std::vector<std::string>& to, Separators separators) {
    if (auto value = take(words_field(values_, key, separators))) to = *std::move(value);
  }
  // Words for people: "[file] [lines]", "{draft}", which YAML may have taken for something else.
  void hint(std::string_view key, std::string& to) {
    const Json* value = values_.if_contains(key);
    if (value && value->is_object()) {
      to = to_json(*value);
      return;
    }
    if (!value || !value->is_array()) return text(key, to);
    std::vector<std::string> words;
    this->words(key, words, Separators::commas);
    to = "[" + join(words, ", ") + "]";
  }
  void wrong(std::string_view key, std::string_view what) {
    if (!error_) error_ = Error{Errc::invalid_input, "\"" + std::string(key) + "\" " + std::string(what)};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  template <class Value>
  std::optional<Value> take(Result<std::optional<Value>> value) {
    if (value) return *std::move(value);
    if (!error_) error_ = value.error();
    return std::nullopt;
  }

  const JsonObject& values_;
  std::optional<Error> error_;
};

void read_fields(const JsonObject& values, Skill& skill, Fields& fields) {
  fields.hint("description", skill.description);
  fields.hint("when_to_use", skill.when_to_use);
  fields.hint("argument-hint", skill.argument_hint);
  fields.words("arguments", skill.arguments, Separators::commas_and_blanks);
  bool not_for_model = false;
  fields.truth("disable-model-invocation", not_for_model);
  skill.for_model = !not_for_model;
  fields.truth("user-invocable", skill.for_user);
  fields.words("allowed-tools", skill.allowed_tools, Separators::commas_and_blanks);
  fields.words("disallowed-tools", skill.disallowed_tools, Separators::commas_and_blanks);
  fields.text("model", skill.model);
  fields.text("effort", skill.effort);
  fields.text("agent", skill.agent);
  fields.truth("background", skill.in_background);
  if (skill.kind == Skill::Kind::skill) fields.words("paths", skill.paths, Separators::commas);

  std::string context;
  fields.text("context", context);
  skill.forks = context == "fork";
  if (!skill.forks && !context.empty() && context != "inline") fields.wrong("context", "must be fork");

  std::string shell;
  fields.text("shell", shell);
  if (shell == "powershell") skill.shell = Skill::Shell::powershell;
  if (!shell.empty() && shell != "bash" && shell != "powershell") fields.wrong("shell", "must be bash or powershell");

  if (const Json* hooks = values.if_contains("hooks"); hooks && !hooks->is_null()) {
    if (hooks->is_object()) {
      skill.hooks = *hooks;
    } else {
      fields.wrong("hooks", "must be a mapping of events");
    }
  }
}

}  // namespace

bool is_skill_name(std::string_view name) {
  if (name.empty() || name.size() > kSkillNameBytesMax || !is_utf8(name)) return false;
  const bool has_odd = std::ranges::any_of(name, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f || std::string_view("\"'`$\\<>|&;*?(){}[]").find(c) != std::string_view::npos;
  });
  return !has_odd && name.front() != '-' && name.front() != '/' && name.front() != '.';
}

Result<Skill> read_skill(const SkillPlace& place, std::string_view text, std::vector<std::string>& notes) {
  if (!is_skill_name(place.name)) {
    return fail(Errc::invalid_input, place.path + ": its name must be one word without quotes and blanks");
  }
  const std::string valid = to_valid_utf8(text);
  auto matter = read_front_matter(valid);
  if (!matter) return fail(matter.error().code, place.path + ": " + matter.error().message);
  if (!matter->taken_as_text.empty()) {
    notes.push_back(place.path + ": taken as plain text, because it is no YAML: " + join(matter->taken_as_text, ", ") +
                    "; put the value in quotes");
  }
  Skill skill{.name = place.name,
              .kind = place.kind,
              .source = place.source,
              .path = place.path,
              .folder = place.folder,
              .trusted = place.trusted};
  Fields fields(matter->values);
  read_fields(matter->values, skill, fields);
  if (const auto& error = fields.error()) return fail(error->code, place.path + ": " + error->message);
  skill.body = std::move(matter->body);
  if (skill.description.empty()) skill.description = first_line(skill.body);
  return skill;
}

}  // namespace deft
