#include "deft/base/http_guard.h"

#include <algorithm>

namespace deft {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string without_brackets(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return lower(host);
}

// "localhost:3000", "[::1]:3000", "localhost".
struct HostAndPort {
  std::string host;
  std::string port;
};
HostAndPort split_host(std::string_view text) {
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  if (!has_port) return {without_brackets(text), ""};
  return {without_brackets(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  const std::string name = without_brackets(host);
  if (name == "localhost" || name == "::1") return true;
  const bool is_address = std::ranges::all_of(name, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return is_address && name.starts_with("127.");
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto other = b.empty() ? 0U : static_cast<unsigned>(static_cast<unsigned char>(b[i % b.size()]));
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i])) ^ other;
  }
  return difference == 0;
}

HttpGuard::HttpGuard(const std::vector<std::string>& names, std::uint16_t port, std::string token)
    : names_{"localhost", "127.0.0.1", "::1"}, port_(port), token_(std::move(token)) {
  for (const std::string& name : names) names_.push_back(without_brackets(name));
}

bool HttpGuard::is_own_name(std::string_view text) const {
  const HostAndPort named = split_host(text);
  if (!named.port.empty() && named.port != std::to_string(port_)) return false;
  return std::ranges::find(names_, named.host) != names_.end();
}

bool HttpGuard::is_own_origin(std::string_view origin) const {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!origin.starts_with(scheme)) continue;
    // A page that this machine serves itself, on whatever port, is no stranger's.
    const HostAndPort named = split_host(origin.substr(scheme.size()));
    return std::ranges::find(names_, named.host) != names_.end();
  }
  return false;
}

std::optional<HttpFault> HttpGuard::refusal(const ReadRequest& request) const {
  const std::string* host = request.field("host");
  if (!host || !is_own_name(*host)) return HttpFault{403, "This server does not go by that name (Host)."};
  const std::string* origin = request.field("origin");
  if (origin && !is_own_origin(*origin)) return HttpFault{403, "Pages of other sites may not talk to this server."};
  if (token_.empty()) return std::nullopt;
  const std::string* given = request.field("authorization");
  constexpr std::string_view kBearer = "bearer ";
  const bool is_bearer = given && lower(std::string_view(*given).substr(0, kBearer.size())) == kBearer;
  const std::string_view token = is_bearer ? std::string_view(*given).substr(kBearer.size()) : std::string_view();
  if (!equal_in_constant_time(token, token_)) {
    return HttpFault{401, "Send the server's token: Authorization: Bearer TOKEN."};
  }
  return std::nullopt;
}

}  // namespace deft
