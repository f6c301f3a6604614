#include "deft/core/schema_words.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "deft/base/utf8.h"

namespace deft::schema {
namespace {

constexpr std::string_view kCut = "…";
constexpr std::size_t kComparedNameBytesMax = 64;

// Appends until `out` is longer than will be shown; so a huge value costs no more than a small one.
void append_short(std::string& out, const Json& value, int depth = 0) {
  const auto enough = [&] { return out.size() > kShownValueCharactersMax * 4; };
  if (enough() || depth > 16) {
    out += kCut;
    return;
  }
  if (value.is_string()) {
    const std::string_view text = view(value.get_string());
    append_json_string(out, first_characters(text, kShownValueCharactersMax + 1));
    return;
  }
  if (value.is_array()) {
    out += '[';
    for (const Json& item : value.get_array()) {
      if (out.back() != '[') out += ',';
      append_short(out, item, depth + 1);
      if (enough()) return;
    }
    out += ']';
    return;
  }
  if (value.is_object()) {
    out += '{';
    for (const auto& [key, member] : value.get_object()) {
      if (out.back() != '{') out += ',';
      append_json_string(out, first_characters({key.data(), key.size()}, kShownValueCharactersMax + 1));
      out += ':';
      append_short(out, member, depth + 1);
      if (enough()) return;
    }
    out += '}';
    return;
  }
  out += to_json(value);
}

// What is left of a name when the ways of writing several words as one are ignored: file_path, filePath, file-path.
std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::array<std::size_t, kComparedNameBytesMax + 1> row{};
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

template <class List, class Show>
std::string listed(const List& list, std::size_t total, const Show& show) {
  std::string out;
  const std::size_t shown = std::min(list.size(), kShownValuesMax);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += ", ";
    out += show(list[i]);
  }
  if (shown < total) out += " and " + std::to_string(total - shown) + " more";
  return out;
}

}  // namespace

std::string short_json(const Json& value) {
  std::string out;
  append_short(out, value);
  const std::string_view shown = first_characters(out, kShownValueCharactersMax);
  if (shown.size() == out.size()) return out;
  return std::string(shown).append(kCut);
}

std::string short_text(std::string_view text) {
  const std::string_view shown = first_characters(text, kShownValueCharactersMax);
  return json_quote(shown).append(shown.size() < text.size() ? kCut : "");
}

std::string describe_value(const Json& value) {
  if (value.is_string()) return "string " + short_json(value);
  if (value.is_number()) return "number " + short_json(value);
  if (value.is_bool()) return "boolean " + short_json(value);
  if (value.is_array()) return "array " + short_json(value);
  if (value.is_object()) return "object " + short_json(value);
  return "null";
}

std::string describe_types(TypeSet types) {
  std::vector<std::string_view> names;
  for (const auto& [name, bit] : kTypeNames) {
    if ((types & bit) != 0) names.push_back(name);
  }
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

std::string count_of(std::uint64_t count, std::string_view noun) {
  std::string out = std::to_string(count) + " ";
  if (count == 1) return out.append(noun);
  if (noun.ends_with('y')) return out.append(noun.substr(0, noun.size() - 1)).append("ies");
  return out.append(noun).append("s");
}

std::string list_of(const std::vector<Json>& values) { return listed(values, values.size(), short_json); }

std::string list_of(const std::vector<std::string>& names, std::size_t total) {
  return listed(names, total, short_text);
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& names) {
  if (name.size() > kComparedNameBytesMax) return "";
  const std::string plain = plain_name(name);
  const std::size_t distance_max = plain.size() < 3 ? 0 : plain.size() < 6 ? 1 : 2;
  std::size_t best = distance_max + 1;
  std::string nearest;
  for (const std::string& candidate : names) {
    if (candidate.size() > kComparedNameBytesMax) continue;
    const std::size_t distance = edit_distance(plain, plain_name(candidate));
    if (distance >= best) continue;
    best = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace deft::schema
