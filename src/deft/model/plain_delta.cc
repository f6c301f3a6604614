#include "deft/model/plain_delta.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "deft/base/utf8.h"

// Reading one of these as JSON takes ten times as long as reading it here, and there are thousands of them:
// bench/agent.

namespace deft {
namespace {

constexpr std::string_view kBeginning = R"({"type":"content_block_)";
constexpr std::string_view kOfDelta = R"(delta","index":)";
constexpr std::string_view kOfStop = R"(stop","index":)";
constexpr std::string_view kOfStart = R"(start","index":)";
constexpr std::string_view kOfCall = R"(,"content_block":{"type":"tool_use","id":")";
constexpr std::string_view kNameOfCall = R"(,"name":")";
constexpr std::string_view kEndOfCall = R"(,"input":{}})";
struct Middle {
  std::string_view text;
  PlainDelta::Kind kind;
};
constexpr std::array<Middle, 3> kMiddles = {{
    {R"(,"delta":{"type":"text_delta","text":")", PlainDelta::Kind::text},
    {R"(,"delta":{"type":"input_json_delta","partial_json":")", PlainDelta::Kind::input},
    {R"(,"delta":{"type":"thinking_delta","thinking":")", PlainDelta::Kind::thinking},
}};
constexpr std::size_t kIndexDigitsMax = 9;

bool take(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

// What a backslash and this letter mean; 0: not one of the simple ones.
char meaning_of(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/': return letter;
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'b': return '\b';
    case 'f': return '\f';
    default: return 0;
  }
}

// Up to the quote that ends the string, which is taken too.
bool take_string(std::string_view& text, std::string& out) {
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20) return false;
    if (c != '"' && c != '\\') continue;
    out.append(text.substr(plain, i - plain));
    if (c == '"') {
      text.remove_prefix(i + 1);
      return true;
    }
    const char meant = i + 1 < text.size() ? meaning_of(text[i + 1]) : '\0';
    if (meant == 0) return false;
    out += meant;
    plain = ++i + 1;
  }
  return false;
}

bool take_index(std::string_view& text, std::int64_t& index) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const auto digits = static_cast<std::size_t>(end - text.data());
  const bool is_number = error == std::errc() && text.front() != '-' && digits <= kIndexDigitsMax;
  if (!is_number || (digits > 1 && text.front() == '0')) return false;
  text.remove_prefix(digits);
  return true;
}

bool take_piece(std::string_view& text, PlainDelta& delta) {
  const auto* middle = std::ranges::find_if(kMiddles, [&](const Middle& one) { return text.starts_with(one.text); });
  if (middle == kMiddles.end()) return false;
  text.remove_prefix(middle->text.size());
  delta.kind = middle->kind;
  return take_string(text, delta.text) && take(text, "}");
}

bool take_call(std::string_view& text, PlainDelta& delta) {
  delta.kind = PlainDelta::Kind::call;
  return take(text, kOfCall) && take_string(text, delta.text) && take(text, kNameOfCall) &&
         take_string(text, delta.name) && take(text, kEndOfCall);
}

}  // namespace

std::optional<PlainDelta> read_plain_delta(std::string_view data) {
  if (!take(data, kBeginning)) return std::nullopt;
  PlainDelta delta;
  if (take(data, kOfStop)) {
    delta.kind = PlainDelta::Kind::stop;
    if (!take_index(data, delta.index)) return std::nullopt;
  } else if (take(data, kOfStart)) {
    if (!take_index(data, delta.index) || !take_call(data, delta)) return std::nullopt;
  } else if (!take(data, kOfDelta) || !take_index(data, delta.index) || !take_piece(data, delta)) {
    return std::nullopt;
  }
  const auto take_blanks = [&] { data.remove_prefix(std::min(data.find_first_not_of(' '), data.size())); };
  take_blanks();
  if (!take(data, "}")) return std::nullopt;
  take_blanks();
  if (!data.empty() || !is_utf8(delta.text) || !is_utf8(delta.name)) return std::nullopt;
  return delta;
}

}  // namespace deft
