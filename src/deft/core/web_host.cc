#include "deft/core/web_host.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

namespace deft {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

// A part of an address in numbers: 127, 0x7f, 0177.
std::optional<std::uint64_t> address_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
    if (text.empty()) return 0;
  } else if (text.size() > 1 && text.starts_with('0')) {
    base = 8;
  }
  std::uint64_t number = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || stopped != text.data() + text.size()) return std::nullopt;
  return number;
}

bool looks_like_number(std::string_view label) {
  if (label.starts_with("0x")) return label.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
  return !label.empty() && label.find_first_not_of("0123456789") == std::string_view::npos;
}

// An address in numbers has many spellings, of which resolvers take each: 127.0.0.1 is 2130706433, 0x7f.1 and
// 0177.0.0.1. Rules speak of the usual one. Nothing: it looks like one and is none.
std::optional<std::string> usual_spelling(const std::string& host) {
  std::vector<std::string_view> labels;
  for (std::string_view rest = host; labels.size() <= 4;) {
    const std::size_t dot = std::min(rest.rfind('.'), rest.size());
    const bool is_first = dot == rest.size();
    labels.insert(labels.begin(), is_first ? rest : rest.substr(dot + 1));
    if (is_first) break;
    rest = rest.substr(0, dot);
  }
  if (!looks_like_number(labels.back())) return host;
  if (labels.size() > 4) return std::nullopt;
  std::uint64_t address = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto number = address_number(labels[i]);
    const bool is_last = i + 1 == labels.size();
    const std::uint64_t limit = is_last ? std::uint64_t{1} << (8 * (5 - labels.size())) : 256;
    if (!number || *number >= limit) return std::nullopt;
    address |= is_last ? *number : *number << (8 * (3 - i));
  }
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8)
    text += (text.empty() ? "" : ".") + std::to_string(address >> shift & 255);
  return text;
}

}  // namespace

std::optional<std::string> web_host(std::string_view url) {
  const auto is_odd = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == '\\'; };
  if (std::ranges::any_of(url, is_odd)) return std::nullopt;
  std::string scheme;
  for (const char c : url.substr(0, url.find(':'))) scheme += lower(c);
  if (scheme != "http" && scheme != "https" && scheme != "ws" && scheme != "wss") return std::nullopt;
  url.remove_prefix(scheme.size());
  if (!url.starts_with("://")) return std::nullopt;
  url.remove_prefix(3);
  std::string_view authority = url.substr(0, url.find_first_of("/?#"));
  const std::size_t colon = authority.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view port = authority.substr(colon + 1);
    if (port.size() > 5 || port.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    authority = authority.substr(0, colon);
  }
  std::string host;
  for (const char c : authority) host += lower(c);
  while (host.ends_with('.')) host.pop_back();
  if (host.empty() || !std::ranges::all_of(host, is_host_character)) return std::nullopt;
  if (host.starts_with('.') || host.find("..") != std::string::npos) return std::nullopt;
  return usual_spelling(host);
}

}  // namespace deft
