#include "deft/base/unicode_property.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "deft/base/check.h"
#include "deft/base/utf8.h"
#include "deft/base/utf8_decode.h"

namespace deft {
namespace {

constexpr std::size_t kPropertyNameBytesMax = 64;

// The long names of general categories, which PCRE2 knows only by their short ones.
constexpr auto kCategories = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"other", "C"},
    {"control", "Cc"},
    {"cntrl", "Cc"},
    {"format", "Cf"},
    {"unassigned", "Cn"},
    {"privateuse", "Co"},
    {"surrogate", "Cs"},
    {"letter", "L"},
    {"casedletter", "L&"},
    {"lc", "L&"},
    {"lowercaseletter", "Ll"},
    {"modifierletter", "Lm"},
    {"otherletter", "Lo"},
    {"titlecaseletter", "Lt"},
    {"uppercaseletter", "Lu"},
    {"mark", "M"},
    {"combiningmark", "M"},
    {"spacingmark", "Mc"},
    {"enclosingmark", "Me"},
    {"nonspacingmark", "Mn"},
    {"number", "N"},
    {"decimalnumber", "Nd"},
    {"letternumber", "Nl"},
    {"othernumber", "No"},
    {"punctuation", "P"},
    {"connectorpunctuation", "Pc"},
    {"dashpunctuation", "Pd"},
    {"closepunctuation", "Pe"},
    {"finalpunctuation", "Pf"},
    {"initialpunctuation", "Pi"},
    {"otherpunctuation", "Po"},
    {"openpunctuation", "Ps"},
    {"symbol", "S"},
    {"currencysymbol", "Sc"},
    {"modifiersymbol", "Sk"},
    {"mathsymbol", "Sm"},
    {"othersymbol", "So"},
    {"separator", "Z"},
    {"spaceseparator", "Zs"},
    {"lineseparator", "Zl"},
    {"paragraphseparator", "Zp"},
});
constexpr auto kShortCategories = std::to_array<std::string_view>(
    {"c",  "cc", "cf", "cn", "co", "cs", "l",  "l&", "ll", "lm", "lo", "lt", "lu", "m",  "mc", "me", "mn", "n",  "nd",
     "nl", "no", "p",  "pc", "pd", "pe", "pf", "pi", "po", "ps", "s",  "sc", "sk", "sm", "so", "z",  "zl", "zp", "zs"});

std::string loose(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == ' ' || c == '_' || c == '-') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

std::optional<std::string> category_name(const std::string& name) {
  const auto* const found = std::ranges::find(kCategories, name, [](const auto& entry) { return entry.first; });
  if (found != kCategories.end()) return std::string(found->second);
  if (std::ranges::find(kShortCategories, name) == kShortCategories.end()) return std::nullopt;
  return name;
}

// Every code point in UTF-8, in order; surrogates have no such form.
std::string all_characters() {
  std::string text;
  text.reserve(std::size_t{4} << 20);
  for (char32_t point = 0; point <= kCodePointMax; ++point) {
    if (point < 0xD800 || point > 0xDFFF) append_utf8(text, point);
  }
  return text;
}

char32_t first_character(std::string_view text) {
  const auto* begin = reinterpret_cast<const unsigned char*>(text.data());
  return decode_forward(begin, begin + text.size()).point;
}

char32_t last_character(std::string_view text) {
  const auto* begin = reinterpret_cast<const unsigned char*>(text.data());
  return decode_backward(begin, begin + text.size()).point;
}

// `name` as PCRE2 spells it.
std::optional<CodePointSet> ask_pcre2(const std::string& name) {
  const std::string pattern = "\\p{" + name + "}+";
  int error = 0;
  std::size_t offset = 0;
  const std::unique_ptr<pcre2_code, void (*)(pcre2_code*)> code(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), PCRE2_UTF | PCRE2_NO_UTF_CHECK,
                    &error, &offset, nullptr),
      pcre2_code_free);
  if (!code) return std::nullopt;
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);  // only for speed
  const std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> found(pcre2_match_data_create(1, nullptr),
                                                                             pcre2_match_data_free);
  DEFT_CHECK(found);

  const std::string text = all_characters();
  std::vector<CodePointRange> ranges;
  for (std::size_t from = 0; from < text.size();) {
    const int result = pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                                   PCRE2_NO_UTF_CHECK, found.get(), nullptr);
    if (result < 0) break;
    const PCRE2_SIZE* span = pcre2_get_ovector_pointer(found.get());
    const std::string_view run(text.data() + span[0], span[1] - span[0]);
    ranges.push_back({first_character(run), last_character(run)});
    from = span[1];
  }
  return CodePointSet(std::move(ranges));
}

std::optional<CodePointSet> look_up(std::string_view name) {
  const std::size_t between = name.find_first_of("=:");
  if (between != std::string_view::npos) {
    const std::string key = loose(name.substr(0, between));
    const std::string value = loose(name.substr(between + 1));
    if (key == "sc" || key == "script") return ask_pcre2("sc:" + value);
    if (key == "scx" || key == "scriptextensions") return ask_pcre2("scx:" + value);
    if (key != "gc" && key != "generalcategory") return std::nullopt;
    const auto category = category_name(value);
    return category ? ask_pcre2(*category) : std::nullopt;
  }
  const std::string plain = loose(name);
  if (plain == "any") return CodePointSet::everything();
  if (plain == "ascii") return CodePointSet({{0, 0x7F}});
  if (plain == "assigned") return ask_pcre2("Cn")->complement();
  if (const auto category = category_name(plain)) return ask_pcre2(*category);
  if (auto script = ask_pcre2("sc:" + plain)) return script;
  return ask_pcre2(plain);
}

}  // namespace

std::optional<CodePointSet> unicode_property(std::string_view name) {
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || c == '_' ||
           c == '-' || c == '=' || c == ':' || c == '&';
  });
  if (!plain || name.empty() || name.size() > kPropertyNameBytesMax) return std::nullopt;

  // Bounded: only names that exist are kept, whatever their spelling.
  const std::string spelling = loose(name);
  static std::mutex mutex;
  static std::map<std::string, CodePointSet, std::less<>> known;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(spelling); found != known.end()) return found->second;
  auto set = look_up(spelling);
  if (set) known.emplace(spelling, *set);
  return set;
}

}  // namespace deft
