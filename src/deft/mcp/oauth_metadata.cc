#include "deft/mcp/oauth_metadata.h"

#include <algorithm>
#include <cctype>

#include "deft/base/http_guard.h"
#include "deft/base/text.h"
#include "deft/base/url.h"

namespace deft {
namespace {

constexpr std::string_view kResourceMetadata = "/.well-known/oauth-protected-resource";
constexpr std::string_view kServerMetadata = "/.well-known/oauth-authorization-server";
constexpr std::string_view kOpenId = "/.well-known/openid-configuration";
constexpr std::size_t kListItemsMax = 200;
constexpr std::size_t kScopesMax = 200;
constexpr std::size_t kShownUrlCharacters = 200;

std::vector<std::string> read_list(const Json& document, std::string_view key) {
  std::vector<std::string> out;
  const JsonArray* list = find_array(document, key);
  if (list == nullptr) return out;
  for (const Json& item : *list) {
    if (item.is_string() && out.size() < kListItemsMax) out.emplace_back(view(item.get_string()));
  }
  return out;
}

// The path without the slash at its end: "" for the root.
std::string path_of(const WebUrl& url) {
  std::string path = url.path;
  while (!path.empty() && path.back() == '/') path.pop_back();
  return path;
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool equal_but_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == ',' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

// The parameters behind "Bearer": name=token or name="quoted", separated by commas.
void read_parameters(std::string_view text, OauthChallenge& out) {
  while (!(text = trimmed(text)).empty()) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view name = text.substr(0, equals);
    text.remove_prefix(equals + 1);
    std::string value;
    if (text.starts_with('"')) {
      text.remove_prefix(1);
      while (!text.empty() && text.front() != '"') {
        if (text.front() == '\\' && text.size() > 1) text.remove_prefix(1);
        value += text.front();
        text.remove_prefix(1);
      }
      if (!text.empty()) text.remove_prefix(1);
    } else {
      value = text.substr(0, text.find(','));
      text.remove_prefix(value.size());
    }
    if (equal_but_case(name, "resource_metadata")) out.resource_metadata = value;
    if (equal_but_case(name, "scope")) out.scope = value;
    if (equal_but_case(name, "error")) out.error = value;
  }
}

Result<std::string> read_endpoint(const Json& document, std::string_view key) {
  const auto url = find_string(document, key);
  if (!url) return std::string();
  if (!is_safe_oauth_url(*url)) {
    return fail(Errc::denied, std::string(key) + " of the authorization server is not protected by TLS: " +
                                  one_line(*url, kShownUrlCharacters));
  }
  return std::string(*url);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string form_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string form_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~') {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

}  // namespace

OauthChallenge read_challenge(const HttpHeaders& headers) {
  OauthChallenge out;
  for (const auto& [name, value] : headers) {
    if (!equal_but_case(name, "www-authenticate")) continue;
    constexpr std::string_view kScheme = "bearer ";
    const std::string_view text = value;
    for (std::size_t at = 0; at + kScheme.size() <= text.size(); ++at) {
      if (!equal_but_case(text.substr(at, kScheme.size()), kScheme)) continue;
      read_parameters(text.substr(at + kScheme.size()), out);
      return out;
    }
  }
  return out;
}

bool is_safe_oauth_url(std::string_view url) {
  const auto parsed = parse_web_url(url);
  return parsed && (parsed->scheme == "https" || is_loopback_host(parsed->host));
}

std::string origin_of(std::string_view url) {
  const auto parsed = parse_web_url(url);
  return parsed ? parsed->scheme + "://" + parsed->authority() : std::string();
}

std::vector<std::string> protected_resource_urls(std::string_view server_url, const OauthChallenge& challenge) {
  // What the server names itself is all that is asked, if it can be asked safely.
  if (!challenge.resource_metadata.empty()) {
    const bool is_own = origin_of(challenge.resource_metadata) == origin_of(server_url);
    if (is_own || is_safe_oauth_url(challenge.resource_metadata)) return {challenge.resource_metadata};
  }
  const auto url = parse_web_url(server_url);
  if (!url) return {};
  const std::string origin = origin_of(server_url);
  const std::string path = path_of(*url);
  std::vector<std::string> out;
  if (!path.empty()) out.push_back(origin + std::string(kResourceMetadata) + path);
  out.push_back(origin + std::string(kResourceMetadata));
  return out;
}

std::vector<std::string> read_authorization_servers(const Json& document) {
  return read_list(document, "authorization_servers");
}

Result<ProtectedResource> read_protected_resource(const Json& document, std::string_view server_url) {
  ProtectedResource out;
  out.resource = find_string(document, "resource").value_or("");
  const auto resource = parse_web_url(out.resource);
  const auto server = parse_web_url(server_url);
  if (!resource || !server) return fail(Errc::invalid_input, "the server's description of itself names no resource");
  const std::string inner = path_of(*server);
  const std::string outer = path_of(*resource);
  const bool covers = resource->scheme == server->scheme && resource->authority() == server->authority() &&
                      (inner == outer || inner.starts_with(outer + "/"));
  if (!covers) {
    return fail(Errc::denied, "the server says that it is " + one_line(out.resource, kShownUrlCharacters) +
                                  ", which it is not: nobody logs in there");
  }
  out.authorization_servers = read_authorization_servers(document);
  out.scopes = read_list(document, "scopes_supported");
  return out;
}

std::vector<std::string> authorization_server_urls(std::string_view issuer) {
  const auto url = parse_web_url(issuer);
  if (!url) return {};
  const std::string origin = origin_of(issuer);
  const std::string path = path_of(*url);
  if (path.empty()) return {origin + std::string(kServerMetadata), origin + std::string(kOpenId)};
  return {origin + std::string(kServerMetadata) + path, origin + std::string(kOpenId) + path,
          origin + path + std::string(kOpenId)};
}

Result<AuthorizationServer> read_authorization_server(const Json& document, std::string_view issuer) {
  AuthorizationServer out;
  out.issuer = find_string(document, "issuer").value_or("");
  if (out.issuer != issuer) {
    return fail(Errc::denied, "the authorization server " + one_line(issuer, kShownUrlCharacters) +
                                  " says that it is " + one_line(out.issuer, kShownUrlCharacters) +
                                  ": nobody logs in there");
  }
  for (const auto& [key, place] : {std::pair{"authorization_endpoint", &out.authorization_endpoint},
                                   std::pair{"token_endpoint", &out.token_endpoint},
                                   std::pair{"registration_endpoint", &out.registration_endpoint}}) {
    auto endpoint = read_endpoint(document, key);
    if (!endpoint) return std::unexpected(std::move(endpoint.error()));
    *place = *std::move(endpoint);
  }
  if (out.token_endpoint.empty()) return fail(Errc::invalid_input, "the authorization server names no token endpoint");
  out.scopes = read_list(document, "scopes_supported");
  out.token_auth_methods = read_list(document, "token_endpoint_auth_methods_supported");
  out.challenge_methods = read_list(document, "code_challenge_methods_supported");
  if (std::ranges::find(out.challenge_methods, "S256") == out.challenge_methods.end()) {
    return fail(Errc::unsupported, "the authorization server does not offer PKCE with S256");
  }
  out.takes_metadata_documents = find_bool(document, "client_id_metadata_document_supported").value_or(false);
  out.names_itself = find_bool(document, "authorization_response_iss_parameter_supported").value_or(false);
  return out;
}

AuthorizationServer assumed_authorization_server(std::string_view server_url) {
  const std::string origin = origin_of(server_url);
  return {.issuer = origin,
          .authorization_endpoint = origin + "/authorize",
          .token_endpoint = origin + "/token",
          .registration_endpoint = origin + "/register",
          .challenge_methods = {"S256"}};
}

std::string form_encode(const FormFields& fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    if (!out.empty()) out += '&';
    out += form_encoded(name) + '=' + form_encoded(value);
  }
  return out;
}

FormFields form_decode(std::string_view query) {
  FormFields out;
  while (!query.empty()) {
    const std::string_view field = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(field.size() + 1, query.size()));
    const auto equals = std::min(field.find('='), field.size());
    out.emplace_back(form_decoded(field.substr(0, equals)),
                     form_decoded(field.substr(std::min(equals + 1, field.size()))));
  }
  return out;
}

const std::string* find_field(const FormFields& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &FormFields::value_type::first);
  return found == fields.end() ? nullptr : &found->second;
}

std::vector<std::string> split_scopes(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty() && out.size() < kScopesMax) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!word.empty()) out.emplace_back(word);
  }
  return out;
}

std::string join_scopes(const std::vector<std::string>& scopes) { return join(scopes, " "); }

std::vector<std::string> all_scopes(std::vector<std::string> scopes, const std::vector<std::string>& more) {
  for (const std::string& scope : more) {
    if (std::ranges::find(scopes, scope) == scopes.end()) scopes.push_back(scope);
  }
  return scopes;
}

}  // namespace deft
