#include "deft/core/web_host.h"

#include <algorithm>

namespace deft {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

}  // namespace

std::optional<std::string> web_host(std::string_view url) {
  const auto is_odd = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == '\\'; };
  if (std::ranges::any_of(url, is_odd)) return std::nullopt;
  std::string scheme;
  for (const char c : url.substr(0, url.find(':'))) scheme += lower(c);
  if (scheme != "http" && scheme != "https") return std::nullopt;
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
  return host;
}

}  // namespace deft
