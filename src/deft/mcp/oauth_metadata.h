#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/os/http_client.h"

// What servers say of how one logs in (FORMATS 7.4). Pure: texts in, values out.

namespace deft {

// WWW-Authenticate: Bearer …
struct OauthChallenge {
  std::string resource_metadata{};
  std::string scope{};
  std::string error{};
};
OauthChallenge read_challenge(const HttpHeaders& headers);

// Of the server that is protected (RFC 9728).
struct ProtectedResource {
  std::string resource{};
  std::vector<std::string> authorization_servers{};
  std::vector<std::string> scopes{};
};
// Where it may stand, in the order of asking.
std::vector<std::string> protected_resource_urls(std::string_view server_url, const OauthChallenge& challenge);
std::vector<std::string> read_authorization_servers(const Json& document);
Result<ProtectedResource> read_protected_resource(const Json& document, std::string_view server_url);

// Of the server that gives the tokens (RFC 8414, OpenID Connect Discovery).
struct AuthorizationServer {
  std::string issuer{};
  std::string authorization_endpoint{};
  std::string token_endpoint{};
  std::string registration_endpoint{};
  std::vector<std::string> scopes{};
  std::vector<std::string> token_auth_methods{};
  std::vector<std::string> challenge_methods{};
  bool takes_metadata_documents = false;  // a web address as the client's id
  bool names_itself = false;              // "iss" stands in its answers (RFC 9207)
};
std::vector<std::string> authorization_server_urls(std::string_view issuer);
// Refused: another issuer than was asked for, endpoints that are not protected by TLS, no PKCE by S256.
Result<AuthorizationServer> read_authorization_server(const Json& document, std::string_view issuer);
// What servers of 2025-03-26 without metadata are taken to have.
AuthorizationServer assumed_authorization_server(std::string_view server_url);

// https, or http on this machine.
bool is_safe_oauth_url(std::string_view url);
// scheme://host:port
std::string origin_of(std::string_view url);

using FormFields = std::vector<std::pair<std::string, std::string>>;
std::string form_encode(const FormFields& fields);
FormFields form_decode(std::string_view query);
const std::string* find_field(const FormFields& fields, std::string_view name);

std::vector<std::string> split_scopes(std::string_view text);
std::string join_scopes(const std::vector<std::string>& scopes);
// What is in one or the other, in this order.
std::vector<std::string> all_scopes(std::vector<std::string> scopes, const std::vector<std::string>& more);

}  // namespace deft
