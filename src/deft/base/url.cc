#include "deft/base/url.h"

#include <algorithm>
#include <vector>

#include "deft/base/host_name.h"

namespace deft {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}
bool is_host(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) {
    const std::string_view inner = host.substr(1, host.size() - 2);
    return !inner.empty() && inner.find_first_not_of("0123456789abcdef:.") == std::string_view::npos;
  }
  return !host.empty() && std::ranges::all_of(host, is_host_character) && !host.starts_with('.') &&
         host.find("..") == std::string_view::npos;
}

std::string without_dots(std::string_view path) {
  std::vector<std::string_view> kept;
  bool ends_in_folder = false;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(part.size());
    ends_in_folder = part == "." || part == "..";
    if (part == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (part != ".") {
      kept.push_back(part);
    }
  }
  std::string out;
  for (const std::string_view part : kept) out += "/" + std::string(part);
  if (ends_in_folder || out.empty()) out += '/';
  return out;
}

// What may not stand in an address is written as %XX; letters of other alphabets only if they are to be.
std::string encoded(std::string_view text, bool letters_too = true) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7F || (byte >= 0x80 && letters_too) || c == '"' || c == '<' || c == '>' ||
        c == '\\' || c == '^' || c == '`' || c == '{' || c == '|' || c == '}') {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

std::string WebUrl::authority() const { return port.empty() ? host : host + ":" + port; }
std::string WebUrl::text() const { return scheme + "://" + authority() + path + query; }

std::optional<WebUrl> parse_web_url(std::string_view text) {
  const auto is_odd = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '\\'; };
  if (std::ranges::any_of(text, is_odd)) return std::nullopt;
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos) return std::nullopt;
  WebUrl url{.scheme = lowered(text.substr(0, colon))};
  if (url.scheme != "http" && url.scheme != "https") return std::nullopt;
  text.remove_prefix(colon + 3);
  text = text.substr(0, text.find('#'));
  const std::string authority = lowered(text.substr(0, text.find_first_of("/?")));
  text.remove_prefix(authority.size());
  const std::size_t bracket = authority.find(']');
  const std::size_t port = authority.find(':', bracket == std::string::npos ? 0 : bracket);
  url.host = authority.substr(0, port);
  if (port != std::string::npos) url.port = authority.substr(port + 1);
  if (url.port.size() > 5 || url.port.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  if (url.port == (url.scheme == "http" ? "80" : "443")) url.port.clear();
  while (url.host.ends_with('.')) url.host.pop_back();
  auto host = ascii_host(url.host);
  if (!host || !is_host(*host)) return std::nullopt;
  url.host = std::move(*host);
  const std::string_view path = text.substr(0, text.find('?'));
  url.path = path.empty() ? "/" : encoded(without_dots(path));
  url.query = encoded(text.substr(path.size()));
  return url;
}

std::string resolve_link(const WebUrl& page, std::string_view given) {
  std::string joined(trimmed(given));
  std::erase_if(joined, [](char c) { return c == '\t' || c == '\r' || c == '\n'; });  // as browsers do
  std::string_view link = joined;
  const std::size_t fragment = std::min(link.find('#'), link.size());
  const std::string tail = encoded(link.substr(fragment));
  link = link.substr(0, fragment);
  if (link.empty()) return page.text() + tail;
  const std::size_t colon = link.find(':');
  const bool has_scheme = colon != std::string_view::npos && colon < std::min(link.find_first_of("/?"), link.size());
  if (has_scheme) {
    const std::string scheme = lowered(link.substr(0, colon));
    if (scheme == "mailto") return encoded(link);
    const auto url = parse_web_url(encoded(link, /*letters_too=*/false));  // they may be those of its host
    return url ? url->text() + tail : "";
  }
  if (link.starts_with("//")) {
    const auto url = parse_web_url(page.scheme + ":" + encoded(link, /*letters_too=*/false));
    return url ? url->text() + tail : "";
  }
  WebUrl url = page;
  const std::string_view path = link.substr(0, link.find('?'));
  if (!path.empty()) {
    url.query = encoded(link.substr(path.size()));
    url.path = encoded(without_dots(
        path.starts_with('/') ? std::string(path) : page.path.substr(0, page.path.rfind('/') + 1) + std::string(path)));
  } else {
    url.query = encoded(link);
  }
  return url.text() + tail;
}

}  // namespace deft
