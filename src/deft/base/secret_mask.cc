#include "deft/base/secret_mask.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace deft {
namespace {

constexpr std::string_view kStars = "****";
constexpr std::size_t kShownBytes = 4;
constexpr std::size_t kNameBytesMax = 64;
// Where a text was cut off it may end in the beginning of a secret.
constexpr std::string_view kCutMark = "…";
constexpr std::size_t kCutSecretBytesMin = 5;

// How keys of services begin, and how long what follows is at least.
struct Beginning {
  std::string_view text;
  std::size_t more_min;
};
constexpr std::array<Beginning, 20> kBeginnings = {
    {{"sk-", 16},  {"sk_live_", 10},    {"rk_live_", 10},   {"ghp_", 20},  {"gho_", 20},  {"ghu_", 20},  {"ghs_", 20},
     {"ghr_", 20}, {"github_pat_", 20}, {"glpat-", 16},     {"xoxb-", 10}, {"xoxp-", 10}, {"xoxa-", 10}, {"AKIA", 16},
     {"ASIA", 16}, {"AIza", 30},        {"eyJhbGciOi", 20}, {"npm_", 30},  {"hf_", 30},   {"pypi-", 30}}};
// Names whose value is one, in any case, with - or _ or nothing between their words.
constexpr std::array<std::string_view, 13> kNames = {
    "apikey",       "secretkey", "accesskey", "privatekey",    "authtoken", "accesstoken", "refreshtoken",
    "clientsecret", "password",  "passwd",    "authorization", "secret",    "token"};
constexpr std::string_view kKeyBegin = "-----BEGIN ";
constexpr std::string_view kKeyEnd = "-----END ";
constexpr std::string_view kKeyWords = "PRIVATE KEY-----";

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '+' || c == '/' || c == '=';
}
bool is_word_character(char c) { return is_key_character(c) && c != '.' && c != '+' && c != '/' && c != '='; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::size_t key_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_key_character(text[length])) ++length;
  return length;
}

// The secret at the very beginning of `text`: how much of it is one, and how much of that may be shown.
struct Found {
  std::size_t shown = 0;
  std::size_t length = 0;
};

std::optional<Found> by_beginning(std::string_view text) {
  for (const Beginning& beginning : kBeginnings) {
    if (!text.starts_with(beginning.text)) continue;
    const std::size_t more = key_length(text.substr(beginning.text.size()));
    const std::size_t length = beginning.text.size() + more;
    const bool is_cut = more >= kCutSecretBytesMin && text.substr(length).starts_with(kCutMark);
    if (more >= beginning.more_min || is_cut) return Found{beginning.text.size(), length};
  }
  return std::nullopt;
}

std::optional<Found> private_key(std::string_view text) {
  if (!text.starts_with(kKeyBegin)) return std::nullopt;
  const std::string_view first_line = text.substr(0, text.find('\n'));
  const std::size_t words = first_line.find(kKeyWords);
  if (words == std::string_view::npos) return std::nullopt;
  const std::size_t end = text.find(kKeyEnd, words + kKeyWords.size());
  return Found{kKeyBegin.size(), end == std::string_view::npos ? text.size() : end};
}

// scheme://USER:PASSWORD@host; `text` is behind the scheme. The user may be a token, and the password "x".
std::optional<Found> password_in_address(std::string_view text) {
  constexpr std::string_view kMark = "://";
  if (!text.starts_with(kMark)) return std::nullopt;
  const std::size_t end = text.find_first_of("/?# \t\n\"'<>", 3);
  const std::string_view authority = text.substr(0, end);
  const std::size_t at = authority.rfind('@');
  const std::size_t colon = authority.find(':', 3);
  if (at == std::string_view::npos || colon == std::string_view::npos || colon + 1 >= at) return std::nullopt;
  return Found{kMark.size(), at};
}

// What `word` ends with, without its blanks and bars, in small letters, is the name of a secret.
bool names_secret(std::string_view word) {
  std::string plain;
  for (const char c : word) {
    if (c != '-' && c != '_') plain += lower(c);
  }
  return std::ranges::any_of(kNames, [&](std::string_view name) { return plain.ends_with(name); });
}

// NAME=value, "NAME": "value", NAME: Bearer value. `text` is behind the name.
std::optional<Found> named_value(std::string_view text) {
  std::size_t at = 0;
  const auto skip = [&](std::string_view characters) {
    while (at < text.size() && characters.find(text[at]) != std::string_view::npos) ++at;
  };
  skip("\\\"' \t");
  if (at >= text.size() || (text[at] != '=' && text[at] != ':')) return std::nullopt;
  ++at;
  skip("\\\"' \t");
  for (const std::string_view scheme : {"Bearer ", "bearer ", "Basic ", "basic ", "token "}) {
    if (text.substr(at).starts_with(scheme)) at += scheme.size();
  }
  std::size_t length = 0;
  while (at + length < text.size() &&
         std::string_view(" \t\r\n\"'\\,;&}<>)").find(text[at + length]) == std::string_view::npos) {
    ++length;
  }
  // Short values are words like "none", and "$TOKEN" is only a name.
  if (length < 6 || text[at] == '$' || text[at] == '{') return std::nullopt;
  return Found{at, at + length};
}

}  // namespace

SecretMask::SecretMask(std::vector<std::string> known) : known_(std::move(known)) {
  std::erase_if(known_, [](const std::string& value) { return value.size() < kKnownSecretBytesMin; });
  std::ranges::sort(known_, [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

std::size_t SecretMask::known_length(std::string_view text) const {
  for (const std::string& value : known_) {
    if (text.starts_with(value)) return value.size();
  }
  for (const std::string& value : known_) {
    const auto differ = std::ranges::mismatch(text, value);
    const auto same = static_cast<std::size_t>(differ.in2 - value.begin());
    const std::string_view after = text.substr(same);
    if (same >= kCutSecretBytesMin && (after.empty() || after.starts_with(kCutMark))) return same;
  }
  return 0;
}

std::string SecretMask::masked(std::string_view text) const { return mask(text, /*by_name=*/true); }

std::string SecretMask::masked_values(std::string_view text) const { return mask(text, /*by_name=*/false); }

std::string SecretMask::mask(std::string_view text, bool by_name) const {
  std::string out;
  out.reserve(text.size());
  std::size_t word_begin = 0;
  const auto take = [&](std::size_t& at, const Found& found, bool shows_some) {
    out += text.substr(at, found.shown);
    const std::size_t secret = found.length - found.shown;
    if (shows_some && secret > 4 * kShownBytes) out += text.substr(at + found.shown, kShownBytes);
    out += kStars;
    at += found.length;
    word_begin = at;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (const std::size_t length = known_length(rest); length != 0) {
      take(at, {0, length}, /*shows_some=*/true);
      continue;
    }
    const bool begins_word = at == word_begin;
    if (const auto found = begins_word ? by_beginning(rest) : std::nullopt) {
      take(at, *found, /*shows_some=*/true);
      continue;
    }
    if (const auto found = rest[0] == '-' && begins_word ? private_key(rest) : std::nullopt) {
      take(at, *found, /*shows_some=*/false);
      continue;
    }
    if (const auto found = rest[0] == ':' ? password_in_address(rest) : std::nullopt) {
      take(at, *found, /*shows_some=*/false);
      continue;
    }
    if (!is_word_character(rest[0])) {
      const std::string_view word = text.substr(word_begin, at - word_begin);
      const bool is_name = by_name && !word.empty() && word.size() <= kNameBytesMax && names_secret(word);
      if (const auto found = is_name ? named_value(rest) : std::nullopt) {
        take(at, *found, /*shows_some=*/false);
        continue;
      }
      word_begin = at + 1;
    }
    out += rest[0];
    ++at;
  }
  return out;
}

Json SecretMask::masked_json(const Json& value) const { return mask(value, /*by_name=*/true); }

Json SecretMask::masked_json_values(const Json& value) const { return mask(value, /*by_name=*/false); }

Json SecretMask::mask(const Json& value, bool by_name) const {
  if (value.is_string()) return Json(mask(view(value.get_string()), by_name));
  if (value.is_array()) {
    JsonArray out;
    for (const Json& item : value.get_array()) out.push_back(mask(item, by_name));
    return out;
  }
  if (!value.is_object()) return value;
  JsonObject out;
  for (const auto& [key, item] : value.get_object()) {
    const std::string_view name(key.data(), key.size());
    const bool is_secret = by_name && item.is_string() && names_secret(name);
    out[mask(name, by_name)] = is_secret ? Json(boost::json::string_view(kStars)) : mask(item, by_name);
  }
  return out;
}

}  // namespace deft
