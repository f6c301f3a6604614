#include "deft/config/front_matter.h"

#include <algorithm>
#include <utility>

#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// The next line with its newline; `rest` goes on after it.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end == std::string_view::npos ? rest.size() : end + 1);
  rest.remove_prefix(line.size());
  return line;
}

bool is_dashes(std::string_view line) { return line.starts_with("---") && trimmed(line) == "---"; }

// --- entry by entry ---

struct Entry {
  std::string_view key;
  std::string_view lines;       // all of them
  std::string_view first_text;  // after the colon, on the key's line
};

// "key" of "key: value"; empty if the line is no such thing.
std::string_view key_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const bool is_word = std::ranges::all_of(line.substr(0, colon), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  const bool ends_there =
      colon + 1 == line.size() || (kBlanks.find(line[colon + 1]) != std::string_view::npos) || line[colon + 1] == '\n';
  return is_word && ends_there && line[0] != '-' ? line.substr(0, colon) : std::string_view();
}

// Nothing: a line belongs to no entry.
std::optional<std::vector<Entry>> entries_of(std::string_view text) {
  std::vector<Entry> entries;
  while (!text.empty()) {
    const std::string_view before = text;
    const std::string_view line = take_line(text);
    const bool continues = trimmed(line).empty() || line[0] == ' ' || line[0] == '\t' || line.starts_with("- ");
    if (continues && !entries.empty()) {
      Entry& last = entries.back();
      last.lines = {last.lines.data(), static_cast<std::size_t>(text.data() - last.lines.data())};
      continue;
    }
    if (trimmed(line).empty() || line[0] == '#') continue;
    const std::string_view key = key_of(line);
    if (key.empty()) return std::nullopt;
    entries.push_back({key, before.substr(0, line.size()), trimmed(line.substr(key.size() + 1))});
  }
  return entries;
}

std::string joined_lines(std::string_view text) {
  std::string joined;
  while (!text.empty()) {
    const std::string_view line = trimmed(take_line(text));
    if (line.empty()) continue;
    if (!joined.empty()) joined += ' ';
    joined += line;
  }
  return joined;
}

// A block of text or a comment cannot be taken for a plain text: its lines mean something.
bool may_be_text(const Entry& entry) {
  return !entry.first_text.empty() && std::string_view("|>#").find(entry.first_text[0]) == std::string_view::npos;
}

// Nothing: there is no sense in it even so.
std::optional<JsonObject> read_entries(std::string_view text, std::vector<std::string>& taken_as_text) {
  const auto entries = entries_of(text);
  if (!entries) return std::nullopt;
  JsonObject values;
  for (const Entry& entry : *entries) {
    if (values.contains(entry.key) || values.size() == kFrontMatterLimits.values_max) return std::nullopt;
    auto value = parse_yaml(entry.lines, kFrontMatterLimits);
    if (value && value->is_object() && value->get_object().size() == 1) {
      values.emplace(entry.key, std::move(value->get_object().begin()->value()));
      continue;
    }
    if ((!value && value.error().code == Errc::limit) || !may_be_text(entry)) return std::nullopt;
    values.emplace(entry.key, joined_lines(entry.lines.substr(entry.key.size() + 1)));
    taken_as_text.emplace_back(entry.key);
  }
  return values;
}

std::unexpected<Error> wrong(std::string_view key, std::string_view what) {
  return fail(Errc::invalid_input, "\"" + std::string(key) + "\" " + std::string(what));
}

// Null is the same as not there.
const Json* value_at(const JsonObject& values, std::string_view key) {
  const Json* value = values.if_contains(key);
  return value && !value->is_null() ? value : nullptr;
}

std::optional<std::string> text_of(const Json& value) {
  if (value.is_string()) return std::string(view(value.get_string()));
  if (value.is_bool() || value.is_number()) return to_json(value);
  return std::nullopt;
}

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::vector<std::string> split(std::string_view text, Separators separators) {
  const std::string_view between = separators == Separators::commas ? "," : ", \t\r\n";
  std::vector<std::string> words;
  std::size_t begin = 0;
  std::size_t depth = 0;
  const auto end_word = [&](std::size_t end) {
    const std::string_view word = trimmed(text.substr(begin, end - begin));
    if (!word.empty()) words.emplace_back(word);
    begin = end + 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '{') ++depth;
    if ((c == ')' || c == '}') && depth > 0) --depth;
    if (depth == 0 && between.find(c) != std::string_view::npos) end_word(i);
  }
  end_word(text.size());
  return words;
}

}  // namespace

Result<FrontMatter> read_front_matter(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string_view rest = text;
  const std::string_view first = take_line(rest);
  if (!is_dashes(first)) return FrontMatter{.values = {}, .body = std::string(text)};

  std::size_t line_number = 1;
  while (!rest.empty()) {
    const std::string_view from_here = rest;
    ++line_number;
    if (!is_dashes(take_line(rest))) continue;
    // With the first line of dashes, so that lines have the numbers that they have in the file.
    const std::string_view yaml = text.substr(0, text.size() - from_here.size());
    FrontMatter matter{.values = {}, .body = std::string(rest), .body_line = line_number + 1};
    auto value = parse_yaml(yaml, kFrontMatterLimits);
    if (value && value->is_null()) return matter;
    if (value && value->is_object()) {
      matter.values = std::move(value->get_object());
      return matter;
    }
    if (value) value = fail(Errc::invalid_input, "line 2, column 1: front matter must be lines of \"key: value\"");
    if (value.error().code == Errc::limit) return std::unexpected(value.error());
    auto values = read_entries(yaml.substr(first.size()), matter.taken_as_text);
    if (!values) return std::unexpected(value.error());
    matter.values = *std::move(values);
    return matter;
  }
  return fail(Errc::invalid_input, "line 1, column 1: the front matter that begins here never ends; close it with ---");
}

Result<std::optional<bool>> bool_field(const JsonObject& values, std::string_view key) {
  const Json* value = value_at(values, key);
  if (!value) return std::nullopt;
  const auto text = text_of(*value);
  const std::string word = text ? lower_case(std::string(trimmed(*text))) : "";
  if (is_among_words(word, "true yes on 1")) return true;
  if (is_among_words(word, "false no off 0")) return false;
  return wrong(key, "must be true or false");
}

Result<std::optional<std::string>> text_field(const JsonObject& values, std::string_view key) {
  const Json* value = value_at(values, key);
  if (!value) return std::nullopt;
  auto text = text_of(*value);
  if (!text) return wrong(key, "must be a text");
  return text;
}

Result<std::optional<std::vector<std::string>>> words_field(const JsonObject& values, std::string_view key,
                                                            Separators separators) {
  const Json* value = value_at(values, key);
  if (!value) return std::nullopt;
  std::vector<std::string> words;
  if (const auto text = text_of(*value)) {
    words = split(*text, separators);
  } else if (value->is_array()) {
    for (const Json& element : value->get_array()) {
      const auto word = text_of(element);
      if (!word) return wrong(key, "must be a list of texts");
      if (!trimmed(*word).empty()) words.emplace_back(trimmed(*word));
    }
  } else {
    return wrong(key, "must be a list, or a text with commas");
  }
  if (words.size() > kFrontMatterWordsMax) {
    return wrong(key, "has more than " + std::to_string(kFrontMatterWordsMax) + " elements");
  }
  return words;
}

}  // namespace deft
