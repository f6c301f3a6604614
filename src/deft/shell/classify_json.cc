#include "deft/base/json.h"
#include "deft/base/utf8.h"
#include "deft/shell/classify.h"

namespace deft::shell {
namespace {

std::string answer(const Json& id, const Verdict& verdict, std::string_view error) {
  JsonObject object;
  object["id"] = id;
  object["verdict"] = verdict.read_only ? "readonly" : "not_readonly";
  object["reason"] = verdict.reason;
  if (!error.empty()) object["error"] = error;
  return to_json(object);
}

std::string broken(const Json& id, std::string_view error) {
  return answer(id, {false, "the line cannot be used: " + std::string(error)}, error);
}

// Half a surrogate pair cannot be part of a command; the parser above replaced it, so look at the text as it came.
bool has_lone_surrogate(std::string_view line) {
  return !parse_json(line) && parse_json(line, {.replace_lone_surrogates = true});
}

// A line that is no JSON because of a byte that does not belong there still tells whose it is.
Json id_of_broken(std::string_view line) {
  std::string repaired(line);
  for (std::size_t i = 0; i < repaired.size();) {
    const std::size_t length = utf8_sequence_length(std::string_view(repaired).substr(i));
    if (length == 0 || static_cast<unsigned char>(repaired[i]) < ' ') repaired[i] = '?';
    i += length == 0 ? 1 : length;
  }
  const auto parsed = parse_json(repaired, {.replace_lone_surrogates = true});
  const Json* id = parsed ? find(*parsed, "id") : nullptr;
  return id == nullptr ? Json(nullptr) : *id;
}

}  // namespace

std::string classify_json_line(std::string_view line, const ClassifyOptions& options) {
  if (line.size() > kJsonLineBytesMax) return broken(nullptr, "the line is too long");
  const auto parsed = parse_json(line, {.replace_lone_surrogates = true});
  if (!parsed) return broken(id_of_broken(line), parsed.error().message);
  const Json* id = find(*parsed, "id");
  const Json no_id = nullptr;
  const Json& shown_id = id == nullptr ? no_id : *id;
  if (!parsed->is_object()) return broken(no_id, "expected an object");
  const auto command = find_string(*parsed, "cmd");
  if (!command) return broken(shown_id, "\"cmd\" must be a string");
  const Json* cwd = find(*parsed, "cwd");
  if (cwd != nullptr && !cwd->is_string() && !cwd->is_null()) return broken(shown_id, "\"cwd\" must be a string");
  if (has_lone_surrogate(line)) return broken(shown_id, "half of a surrogate pair");
  if (command->find('\0') != std::string_view::npos) return broken(shown_id, "a NUL character");
  ClassifyOptions own = options;
  if (const auto text = find_string(*parsed, "cwd")) own.cwd = *text;
  if (!own.cwd.empty() && own.cwd[0] != '/') own.cwd.clear();
  return answer(shown_id, classify(*command, own), {});
}

}  // namespace deft::shell
