#include "deft/mcp/oauth.h"

#include <algorithm>
#include <utility>

#include "deft/base/base64.h"
#include "deft/base/sha256.h"
#include "deft/base/text.h"
#include "deft/base/url.h"
#include "deft/os/private_key.h"
#include "deft/os/uuid.h"

namespace deft {
namespace {

constexpr std::size_t kShownCharacters = 300;

std::string to_base64_url(std::string_view bytes) {
  std::string out = to_base64(bytes);
  while (out.ends_with('=')) out.pop_back();
  std::ranges::replace(out, '+', '-');
  std::ranges::replace(out, '/', '_');
  return out;
}

std::int64_t seconds_since_1970(const Clock& clock) {
  return std::chrono::duration_cast<std::chrono::seconds>(clock.wall_time().time_since_epoch()).count();
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

// How the client shows who it is at the token endpoint (RFC 6749, 2.3).
std::string auth_method(const std::vector<std::string>& offered, const std::string& registered, bool has_secret) {
  if (!has_secret) return "none";
  if (!registered.empty() && registered != "none" && (offered.empty() || contains(offered, registered))) {
    return registered;
  }
  if (offered.empty() || contains(offered, "client_secret_basic")) return "client_secret_basic";
  if (contains(offered, "client_secret_post")) return "client_secret_post";
  return "none";
}

// What an authorization server says of a failure, or nothing.
std::string said_error(const Json& document) {
  const auto error = find_string(document, "error");
  if (!error) return {};
  std::string out(*error);
  if (const auto more = find_string(document, "error_description")) out += ": " + std::string(*more);
  return one_line(out, kShownCharacters);
}

}  // namespace

std::optional<Json> OauthMemory::load(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}
void OauthMemory::save(const std::string& key, const Json& value) {
  const std::lock_guard lock(mutex_);
  values_.insert_or_assign(key, value);
}
void OauthMemory::forget(const std::string& key) {
  const std::lock_guard lock(mutex_);
  values_.erase(key);
}

OauthAuthorizer::OauthAuthorizer(HttpClient& http, const Clock& clock, OauthStore& store, OauthOptions options)
    : http_(http), clock_(clock), store_(store), options_(std::move(options)) {}

std::string OauthAuthorizer::token_key() const { return "token " + options_.url; }
std::string OauthAuthorizer::client_key(const std::string& issuer) { return "client " + issuer; }

Result<HttpHeaders> OauthAuthorizer::headers(std::stop_token stop) {
  const std::lock_guard lock(mutex_);
  if (!is_loaded_) {
    if (auto kept = store_.load(token_key())) token_ = *std::move(kept);
    is_loaded_ = true;
  }
  if (token_.is_null() || !is_safe_oauth_url(options_.url)) return HttpHeaders{};
  const auto ends = find_int(token_, "expires_at");
  const auto ahead = std::chrono::duration_cast<std::chrono::seconds>(kOauthRenewAhead).count();
  if (ends && *ends - ahead <= seconds_since_1970(clock_) && find(token_, "refresh_token") != nullptr) {
    // If that fails the server will refuse the old token, and a login follows.
    [[maybe_unused]] const auto refreshed = refresh(stop);
  }
  return HttpHeaders{{"Authorization", "Bearer " + std::string(find_string(token_, "access_token").value_or(""))}};
}

Result<void> OauthAuthorizer::refused(const HttpHead& head, const HttpHeaders& sent, std::stop_token stop) {
  const OauthChallenge challenge = read_challenge(head.headers);
  const std::lock_guard lock(mutex_);
  const auto sent_token = find_header(sent, "authorization");
  const auto token = find_string(token_, "access_token");
  // Another thread has got a new one meanwhile.
  if (token && sent_token != "Bearer " + std::string(*token)) return {};
  if (head.status == 403) {
    if (challenge.error != "insufficient_scope") {
      return fail(Errc::denied, "the server " + options_.server + " refuses this with HTTP status 403");
    }
    if (step_ups_ >= kOauthStepUpsMax) {
      return fail(Errc::denied, "the server " + options_.server +
                                    " asks for more rights again and again; log in anew with `deft mcp login " +
                                    options_.server + "`");
    }
    ++step_ups_;
    return authorize(challenge, stop);
  }
  if (take_renewed()) return {};  // somebody has logged in elsewhere
  if (token && find(token_, "refresh_token") != nullptr && refresh(stop)) return {};
  return authorize(challenge, stop);
}

Result<void> OauthAuthorizer::log_in(std::stop_token stop) {
  const std::lock_guard lock(mutex_);
  // The server's own challenge names where to look, if it makes one.
  OauthChallenge challenge;
  auto answer =
      fetch(http_,
            {.method = "POST",
             .url = options_.url,
             .headers = {{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}},
             .body = R"({"jsonrpc":"2.0","id":0,"method":"ping"})",
             .deadline = clock_.now() + kOauthRequestTimeout,
             .body_bytes_max = kOauthDocumentBytesMax},
            stop);
  if (answer && answer->status == 401) challenge = read_challenge(answer->headers);
  return authorize(challenge, stop);
}

void OauthAuthorizer::log_out() {
  const std::lock_guard lock(mutex_);
  token_ = nullptr;
  is_loaded_ = true;
  store_.forget(token_key());
}

// Is the server itself on this machine or in a private network? Then so may be what it sends us to.
bool OauthAuthorizer::is_among_private() const {
  const auto own = parse_web_url(options_.url);
  const auto addresses = own ? options_.resolve(own->host) : std::vector<std::string>{};
  return addresses && std::ranges::any_of(*addresses, [](const std::string& one) { return !is_public_address(one); });
}

// A server on the web may send us to any address by what it says of logging in. It does not get us to knock at the
// doors of this machine and of the networks behind it, whatever name they have there; what was checked is what is
// dialled.
Result<void> OauthAuthorizer::check_place(const std::string& url, HttpRequest* request) const {
  // What the user named themselves is theirs, wherever it is.
  const std::string origin = origin_of(url);
  const bool is_own = origin == origin_of(options_.url);
  const bool is_given = !options_.withholds_secrets && !options_.authorization_server_url.empty() &&
                        origin == origin_of(options_.authorization_server_url);
  if (is_own || is_given || (options_.enterprise && url == options_.enterprise->token_endpoint)) return {};
  const auto place = parse_web_url(url);
  if (!place) return fail(Errc::denied, one_line(url, kShownCharacters) + " is no web address");
  if (is_among_private()) return {};
  const auto addresses = options_.resolve(place->host);
  if (!addresses) return options_.uses_proxy ? Result<void>() : std::unexpected(addresses.error());
  if (!std::ranges::all_of(*addresses, is_public_address)) {
    return fail(Errc::denied, "the server " + options_.server + " wants the login at " +
                                  one_line(place->host, kShownCharacters) +
                                  ", an address of this machine or of a private network: nobody logs in there");
  }
  if (request != nullptr && !options_.uses_proxy) request->address = addresses->front();
  return {};
}

Result<Json> OauthAuthorizer::fetch_document(const std::string& url, const std::stop_token& stop) {
  HttpRequest request{.url = url,
                      .headers = {{"Accept", "application/json"}},
                      .deadline = clock_.now() + kOauthRequestTimeout,
                      .body_bytes_max = kOauthDocumentBytesMax};
  if (auto allowed = check_place(url, &request); !allowed) return std::unexpected(std::move(allowed.error()));
  auto response = fetch(http_, std::move(request), stop);
  if (!response) return std::unexpected(std::move(response.error()));
  if (response->status != 200) {
    return fail(Errc::not_found, url + " answers with HTTP status " + std::to_string(response->status));
  }
  auto document = parse_json(response->body);
  if (!document || !document->is_object()) return fail(Errc::invalid_json, url + " is no JSON object");
  return document;
}

Result<OauthAuthorizer::Grounds> OauthAuthorizer::look_around(const OauthChallenge& challenge,
                                                              const std::stop_token& stop) {
  Grounds out;
  for (const std::string& url : protected_resource_urls(options_.url, challenge)) {
    auto document = fetch_document(url, stop);
    if (!document) {
      const Errc code = document.error().code;
      if (code == Errc::cancelled || code == Errc::denied) return std::unexpected(std::move(document.error()));
      continue;
    }
    auto resource = read_protected_resource(*document, options_.url);
    if (!resource) {
      // Whom it would send us to is looked at all the same: to know of both documents whether they can be trusted.
      const auto named = read_authorization_servers(*document);
      if (!named.empty() && is_safe_oauth_url(named[0])) static_cast<void>(find_server(named[0], stop));
      return std::unexpected(std::move(resource.error()));
    }
    out.resource = *std::move(resource);
    break;
  }
  std::string issuer = options_.authorization_server_url;
  const bool is_described = !out.resource.resource.empty();
  if (!is_described) out.resource.resource = options_.url;
  if (!issuer.empty()) {
    auto server = read_named_server(issuer, stop);
    if (!server) return std::unexpected(std::move(server.error()));
    out.server = *std::move(server);
    return out;
  }
  issuer = out.resource.authorization_servers.empty() ? origin_of(options_.url) : out.resource.authorization_servers[0];
  if (!is_safe_oauth_url(issuer)) {
    return fail(Errc::denied, "the authorization server " + one_line(issuer, kShownCharacters) +
                                  " is not protected by TLS: nobody logs in there");
  }
  auto server = find_server(issuer, stop, /*is_own=*/out.resource.authorization_servers.empty());
  if (server) {
    out.server = *std::move(server);
    return out;
  }
  // Servers of 2025-03-26 need no descriptions.
  if (is_described || server.error().code != Errc::not_found) return std::unexpected(std::move(server.error()));
  out.server = assumed_authorization_server(options_.url);
  return out;
}

// By "authServerMetadataUrl". Whose document it says to be must be who serves it: else the codes and secrets that are
// meant for one authorization server could be had by another one that takes its name.
Result<AuthorizationServer> OauthAuthorizer::read_named_server(const std::string& url, const std::stop_token& stop) {
  if (!is_safe_oauth_url(url)) {
    return fail(Errc::denied, "authServerMetadataUrl is not protected by TLS: nobody logs in there");
  }
  const auto document = fetch_document(url, stop);
  if (!document) return std::unexpected(document.error());
  const std::string issuer(find_string(*document, "issuer").value_or(""));
  if (origin_of(issuer) != origin_of(url)) {
    return fail(Errc::denied, "authServerMetadataUrl describes " + one_line(issuer, kShownCharacters) +
                                  ", which is another server: nobody logs in there");
  }
  return read_authorization_server(*document, issuer);
}

Result<AuthorizationServer> OauthAuthorizer::find_server(const std::string& issuer, const std::stop_token& stop,
                                                         bool is_own) {
  Error last{Errc::not_found,
             "the authorization server " + one_line(issuer, kShownCharacters) + " does not describe itself"};
  for (const std::string& url : authorization_server_urls(issuer)) {
    auto document = fetch_document(url, stop);
    if (document) {
      const std::string said(find_string(*document, "issuer").value_or(""));
      const bool is_same_place = is_own && origin_of(said) == origin_of(issuer);
      return read_authorization_server(*document, is_same_place ? said : issuer);
    }
    if (document.error().code != Errc::not_found) last = std::move(document.error());
  }
  return std::unexpected(std::move(last));
}

std::vector<std::string> OauthAuthorizer::wanted_scopes(const Grounds& grounds, const OauthChallenge& challenge) const {
  if (options_.scopes) return split_scopes(*options_.scopes);
  std::vector<std::string> scopes;
  if (!challenge.scope.empty()) {
    // What was granted before stays granted.
    scopes = split_scopes(find_string(token_, "scope").value_or(""));
    scopes = all_scopes(std::move(scopes), split_scopes(challenge.scope));
  } else {
    scopes = grounds.resource.scopes;
  }
  if (contains(grounds.server.scopes, "offline_access")) scopes = all_scopes(std::move(scopes), {"offline_access"});
  return scopes;
}

Result<void> OauthAuthorizer::authorize(const OauthChallenge& challenge, const std::stop_token& stop) {
  if (options_.browser == nullptr && !options_.client_credentials && !options_.enterprise) {
    return fail(Errc::denied,
                "the server " + options_.server + " wants a login: run `deft mcp login " + options_.server + "`");
  }
  if (!is_safe_oauth_url(options_.url)) {
    return fail(Errc::denied, "the server " + options_.server +
                                  " wants a login, but its address is not protected by TLS: a token would be for all "
                                  "to see");
  }
  if (options_.withholds_secrets && options_.client_credentials) {
    return fail(Errc::denied, "the server " + options_.server +
                                  " is the project's, and your secrets are not for it: configure it yourself with "
                                  "`deft mcp add-json`");
  }
  auto grounds = look_around(challenge, stop);
  if (!grounds) return std::unexpected(std::move(grounds.error()));
  const std::vector<std::string> scopes = wanted_scopes(*grounds, challenge);
  if (!options_.client_credentials && !options_.enterprise) return visit_and_exchange(*grounds, scopes, stop);
  FormFields fields{{"grant_type", "client_credentials"}};
  if (options_.enterprise) {
    auto grant = enterprise_grant(*grounds, scopes, stop);
    if (!grant) return std::unexpected(std::move(grant.error()));
    fields = {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"}, {"assertion", *std::move(grant)}};
  }
  if (!scopes.empty()) fields.emplace_back("scope", join_scopes(scopes));
  return exchange(*grounds, {.id = options_.client_id, .secret = options_.client_secret}, std::move(fields), scopes,
                  stop);
}

// What shows who the user is, at the identity provider, in exchange for a grant that is good for this server alone.
Result<std::string> OauthAuthorizer::enterprise_grant(const Grounds& grounds, const std::vector<std::string>& scopes,
                                                      const std::stop_token& stop) {
  const OauthOptions::Enterprise& provider = *options_.enterprise;
  if (!is_safe_oauth_url(provider.token_endpoint)) {
    return fail(Errc::denied, "the identity provider's token endpoint is not protected by TLS");
  }
  FormFields fields{{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
                    {"requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"},
                    {"audience", grounds.server.issuer},
                    {"resource", grounds.resource.resource},
                    {"subject_token", provider.id_token},
                    {"subject_token_type", "urn:ietf:params:oauth:token-type:id_token"}};
  if (!scopes.empty()) fields.emplace_back("scope", join_scopes(scopes));
  if (!provider.client_id.empty()) fields.emplace_back("client_id", provider.client_id);
  const auto document =
      ask_for_token({.method = "POST",
                     .url = provider.token_endpoint,
                     .headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}},
                     .body = form_encode(fields)},
                    stop);
  if (!document) return std::unexpected(document.error());
  return std::string(*find_string(*document, "access_token"));
}

// The client says who it is, signed with its key: good for this authorization server, for a few minutes, once.
Result<std::string> OauthAuthorizer::client_assertion(const AuthorizationServer& server,
                                                      const std::string& client) const {
  const std::int64_t now = seconds_since_1970(clock_);
  const auto minutes = std::chrono::duration_cast<std::chrono::seconds>(kOauthAssertionTime).count();
  const JsonObject header{{"alg", options_.signing_algorithm}, {"typ", "JWT"}};
  const JsonObject claims{{"iss", client},        {"sub", client}, {"aud", server.issuer},
                          {"jti", random_uuid()}, {"iat", now},    {"exp", now + minutes}};
  const std::string text = to_base64_url(to_json(header)) + '.' + to_base64_url(to_json(claims));
  const auto signature = sign_for_jws(options_.signing_algorithm, options_.private_key, text);
  if (!signature) return std::unexpected(signature.error());
  return text + '.' + to_base64_url(*signature);
}

// What a token endpoint gives; it has an access token.
Result<Json> OauthAuthorizer::ask_for_token(HttpRequest request, const std::stop_token& stop) {
  if (auto allowed = check_place(request.url, &request); !allowed) return std::unexpected(std::move(allowed.error()));
  request.deadline = clock_.now() + kOauthRequestTimeout;
  request.body_bytes_max = kOauthDocumentBytesMax;
  auto response = fetch(http_, std::move(request), stop);
  if (!response) return std::unexpected(std::move(response.error()));
  auto document = parse_json(response->body);
  const auto token = document ? find_string(*document, "access_token") : std::nullopt;
  if (response->status == 200 && token && !token->empty()) return *std::move(document);
  const std::string said = document ? said_error(*document) : std::string();
  return fail(Errc::denied, "the authorization server gave no token, HTTP status " + std::to_string(response->status) +
                                (said.empty() ? "" : ": " + said));
}

Result<OauthAuthorizer::Client> OauthAuthorizer::find_client(const AuthorizationServer& server,
                                                             const std::string& redirect_uri,
                                                             const std::vector<std::string>& scopes,
                                                             const std::stop_token& stop) {
  if (!options_.client_id.empty()) return Client{.id = options_.client_id, .secret = options_.client_secret};
  if (server.takes_metadata_documents && !options_.client_metadata_url.empty()) {
    return Client{.id = options_.client_metadata_url, .auth_method = "none"};
  }
  if (const auto kept = store_.load(client_key(server.issuer));
      kept && find_string(*kept, "redirect_uri") == redirect_uri) {
    return Client{.id = std::string(find_string(*kept, "client_id").value_or("")),
                  .secret = std::string(find_string(*kept, "client_secret").value_or("")),
                  .auth_method = std::string(find_string(*kept, "token_endpoint_auth_method").value_or(""))};
  }
  if (!server.registration_endpoint.empty()) return register_client(server, redirect_uri, scopes, stop);
  return fail(Errc::unsupported, "the authorization server of " + options_.server +
                                     " registers no clients: register deft there and set oauth.clientId");
}

Result<OauthAuthorizer::Client> OauthAuthorizer::register_client(const AuthorizationServer& server,
                                                                 const std::string& redirect_uri,
                                                                 const std::vector<std::string>& scopes,
                                                                 const std::stop_token& stop) {
  std::string method = "none";
  if (!server.token_auth_methods.empty() && !contains(server.token_auth_methods, "none")) {
    method = auth_method(server.token_auth_methods, {}, true);
  }
  JsonObject wanted{{"client_name", options_.client_name},
                    {"redirect_uris", {redirect_uri}},
                    {"grant_types", {"authorization_code", "refresh_token"}},
                    {"response_types", {"code"}},
                    {"token_endpoint_auth_method", method},
                    {"application_type", "native"}};
  if (!scopes.empty()) wanted["scope"] = join_scopes(scopes);
  HttpRequest request{.method = "POST",
                      .url = server.registration_endpoint,
                      .headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}},
                      .body = to_json(wanted),
                      .deadline = clock_.now() + kOauthRequestTimeout,
                      .body_bytes_max = kOauthDocumentBytesMax};
  if (auto allowed = check_place(request.url, &request); !allowed) return std::unexpected(std::move(allowed.error()));
  auto response = fetch(http_, std::move(request), stop);
  if (!response) return std::unexpected(std::move(response.error()));
  auto document = parse_json(response->body);
  const auto id = document ? find_string(*document, "client_id") : std::nullopt;
  if (response->status / 100 != 2 || !id || id->empty()) {
    const std::string said = document ? said_error(*document) : std::string();
    return fail(Errc::failed, "the authorization server did not register deft, HTTP status " +
                                  std::to_string(response->status) + (said.empty() ? "" : ": " + said));
  }
  Client client{.id = std::string(*id),
                .secret = std::string(find_string(*document, "client_secret").value_or("")),
                .auth_method = std::string(find_string(*document, "token_endpoint_auth_method").value_or(method))};
  store_.save(client_key(server.issuer), JsonObject{{"client_id", client.id},
                                                    {"client_secret", client.secret},
                                                    {"token_endpoint_auth_method", client.auth_method},
                                                    {"redirect_uri", redirect_uri}});
  return client;
}

Result<void> OauthAuthorizer::visit_and_exchange(const Grounds& grounds, const std::vector<std::string>& scopes,
                                                 const std::stop_token& stop) {
  if (grounds.server.authorization_endpoint.empty()) {
    return fail(Errc::unsupported, "the authorization server names no page to log in at");
  }
  for (const std::string& url : {grounds.server.authorization_endpoint, grounds.server.token_endpoint}) {
    if (auto allowed = check_place(url); !allowed) return allowed;
  }
  auto redirect_uri = options_.browser->redirect_uri();
  if (!redirect_uri) return std::unexpected(std::move(redirect_uri.error()));
  auto client = find_client(grounds.server, *redirect_uri, scopes, stop);
  if (!client) return std::unexpected(std::move(client.error()));
  const std::string verifier = random_uuid() + random_uuid();
  const std::string state = random_uuid();
  FormFields query{{"response_type", "code"},
                   {"client_id", client->id},
                   {"code_challenge", to_base64_url(sha256(verifier))},
                   {"code_challenge_method", "S256"},
                   {"redirect_uri", *redirect_uri},
                   {"state", state},
                   {"resource", grounds.resource.resource}};
  if (!scopes.empty()) query.emplace_back("scope", join_scopes(scopes));
  if (contains(scopes, "offline_access")) query.emplace_back("prompt", "consent");
  const std::string& page = grounds.server.authorization_endpoint;
  const std::string url = page + (page.find('?') == std::string::npos ? '?' : '&') + form_encode(query);
  const auto back = options_.browser->visit(url, stop);
  if (!back) return std::unexpected(back.error());
  auto code = check_return(grounds.server, *back, state);
  if (!code) return std::unexpected(std::move(code.error()));
  return exchange(grounds, *client,
                  {{"grant_type", "authorization_code"},
                   {"code", *std::move(code)},
                   {"redirect_uri", *redirect_uri},
                   {"code_verifier", verifier}},
                  scopes, stop);
}

// What comes back passes through the browser, where anybody may have put it: only an answer to this very question, from
// this very server, counts.
Result<std::string> OauthAuthorizer::check_return(const AuthorizationServer& server, std::string_view query,
                                                  const std::string& state) const {
  const FormFields fields = form_decode(query);
  const std::string* given_state = find_field(fields, "state");
  if (given_state == nullptr || *given_state != state) {
    return fail(Errc::denied, "the login was not answered by who was asked (state)");
  }
  const std::string* issuer = find_field(fields, "iss");
  if ((issuer == nullptr && server.names_itself) || (issuer != nullptr && *issuer != server.issuer)) {
    return fail(Errc::denied, "the login was not answered by who was asked (iss)");
  }
  if (const std::string* error = find_field(fields, "error")) {
    const std::string* more = find_field(fields, "error_description");
    return fail(Errc::denied,
                "the login was refused: " + one_line(*error + (more == nullptr ? "" : ": " + *more), kShownCharacters));
  }
  const std::string* code = find_field(fields, "code");
  if (code == nullptr || code->empty()) return fail(Errc::denied, "the login brought no code");
  return *code;
}

Result<void> OauthAuthorizer::exchange(const Grounds& grounds, const Client& client, FormFields fields,
                                       const std::vector<std::string>& scopes, const std::stop_token& stop) {
  HttpRequest request{
      .method = "POST",
      .url = grounds.server.token_endpoint,
      .headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}}};
  fields.emplace_back("resource", grounds.resource.resource);
  const bool signs = options_.client_credentials && !options_.private_key.empty();
  const std::string method =
      signs ? "private_key_jwt"
            : auth_method(grounds.server.token_auth_methods, client.auth_method, !client.secret.empty());
  if (signs) {
    auto assertion = client_assertion(grounds.server, client.id);
    if (!assertion) return std::unexpected(std::move(assertion.error()));
    fields.emplace_back("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    fields.emplace_back("client_assertion", *std::move(assertion));
  } else if (method == "client_secret_basic") {
    // Each part form-encoded: RFC 6749, 2.3.1.
    const std::string id = form_encode({{"", client.id}}).substr(1);
    const std::string secret = form_encode({{"", client.secret}}).substr(1);
    request.headers.emplace_back("Authorization", "Basic " + to_base64(id + ":" + secret));
  } else {
    fields.emplace_back("client_id", client.id);
    if (method == "client_secret_post") fields.emplace_back("client_secret", client.secret);
  }
  request.body = form_encode(fields);
  const auto document = ask_for_token(std::move(request), stop);
  if (!document) return std::unexpected(document.error());
  JsonObject kept{{"access_token", *find_string(*document, "access_token")},
                  {"issuer", grounds.server.issuer},
                  {"token_endpoint", grounds.server.token_endpoint},
                  {"resource", grounds.resource.resource},
                  {"client_id", client.id},
                  {"client_secret", client.secret},
                  {"auth_method", method}};
  const auto granted = find_string(*document, "scope");
  kept["scope"] = granted ? std::string(*granted) : join_scopes(scopes);
  if (const auto seconds = find_number(*document, "expires_in"); seconds && *seconds > 0 && *seconds < 1e10) {
    kept["expires_at"] = seconds_since_1970(clock_) + static_cast<std::int64_t>(*seconds);
  }
  if (const auto again = find_string(*document, "refresh_token")) {
    kept["refresh_token"] = *again;
  } else if (const auto old = find_string(token_, "refresh_token");
             old && find_string(token_, "issuer") == grounds.server.issuer) {
    kept["refresh_token"] = *old;
  }
  token_ = std::move(kept);
  store_.save(token_key(), token_);
  return {};
}

// Another process may have renewed it since. True: there is a newer one.
bool OauthAuthorizer::take_renewed() {
  auto kept = store_.load(token_key());
  const auto token = kept ? find_string(*kept, "access_token") : std::nullopt;
  if (!token || token == find_string(token_, "access_token")) return false;
  const auto ends = find_int(*kept, "expires_at");
  token_ = *std::move(kept);
  return !ends || *ends > seconds_since_1970(clock_);
}

Result<void> OauthAuthorizer::refresh(const std::stop_token& stop) {
  const std::shared_ptr<void> alone = store_.alone(clock_, stop);
  if (take_renewed()) return {};
  const auto text = [this](std::string_view key) { return std::string(find_string(token_, key).value_or("")); };
  Grounds grounds;
  grounds.resource.resource = text("resource");
  grounds.server.issuer = text("issuer");
  grounds.server.token_endpoint = text("token_endpoint");
  grounds.server.token_auth_methods = {text("auth_method")};
  const std::string refresh_token = text("refresh_token");
  auto renewed =
      exchange(grounds, {.id = text("client_id"), .secret = text("client_secret"), .auth_method = text("auth_method")},
               {{"grant_type", "refresh_token"}, {"refresh_token", refresh_token}}, split_scopes(text("scope")), stop);
  if (!renewed && renewed.error().code == Errc::denied && token_.is_object()) {
    // It will not be taken the next time either.
    token_.get_object().erase("refresh_token");
  }
  return renewed;
}

}  // namespace deft
