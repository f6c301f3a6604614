#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/mcp/authorizer.h"
#include "deft/mcp/oauth_metadata.h"
#include "deft/os/web_address.h"

namespace deft {

// A token is renewed so long before it ends.
inline constexpr Duration kOauthRenewAhead = std::chrono::seconds(60);
// How often a server may ask for more rights, for as long as nobody starts deft anew.
inline constexpr int kOauthStepUpsMax = 2;
inline constexpr std::size_t kOauthDocumentBytesMax = std::size_t{1} << 20;
inline constexpr Duration kOauthRequestTimeout = std::chrono::seconds(30);
inline constexpr Duration kOauthLoginTimeout = std::chrono::minutes(10);
inline constexpr Duration kOauthAssertionTime = std::chrono::minutes(5);  // for which a signed word of ours is good

// What is kept of a login, and under which key: a token counts only for the server that it was got for, a client id
// only at the authorization server that gave it.
class OauthStore {
 public:
  virtual ~OauthStore() = default;
  virtual std::optional<Json> load(const std::string& key) = 0;
  virtual void save(const std::string& key, const Json& value) = 0;
  virtual void forget(const std::string& key) = 0;
  // Whoever renews a token does it alone, also among processes: an authorization server may take the second use of a
  // renewal token for a theft. Until the returned value is let go; null: there is nobody else, or it took too long.
  virtual std::shared_ptr<void> alone(const Clock& clock, std::stop_token stop) = 0;
};

class OauthMemory final : public OauthStore {
 public:
  std::optional<Json> load(const std::string& key) override;
  void save(const std::string& key, const Json& value) override;
  void forget(const std::string& key) override;
  std::shared_ptr<void> alone(const Clock&, std::stop_token) override { return nullptr; }

 private:
  std::mutex mutex_;
  std::map<std::string, Json> values_;
};

// The user in front of a browser.
class OauthBrowser {
 public:
  virtual ~OauthBrowser() = default;
  // Where the browser comes back to; valid until the visit is over.
  virtual Result<std::string> redirect_uri() = 0;
  // Sends the user to this page, and waits for what they bring back: the query of the redirect.
  virtual Result<std::string> visit(const std::string& url, std::stop_token stop) = 0;
};

struct OauthOptions {
  std::string server{};  // its name, for people
  std::string url{};
  std::string client_name = "deft";
  std::string client_id{};  // registered beforehand; empty: none
  std::string client_secret{};
  std::string client_metadata_url{};       // a document on the web that describes us; empty: none
  std::optional<std::string> scopes{};     // nothing else is asked for
  std::string authorization_server_url{};  // of its metadata; empty: what the server says
  bool client_credentials = false;         // nobody logs in: the client's own id and secret, or key, are enough
  std::string private_key{};               // PEM: instead of a secret the client signs who it is (RFC 7523)
  std::string signing_algorithm = "ES256";
  // Where an enterprise's identity provider vouches for the user (SEP-990), nobody logs in here: what shows who the
  // user is there becomes a grant for the server's authorization server.
  struct Enterprise {
    std::string token_endpoint{};
    std::string client_id{};
    std::string id_token{};
  };
  std::optional<Enterprise> enterprise{};
  bool withholds_secrets = false;  // the entry is a repository's: the user's secrets are not for it
  bool uses_proxy = false;         // what names mean is then the proxy's business
  ResolveHost resolve = resolve_host;
  OauthBrowser* browser = nullptr;  // null: nobody can log in now, and an error says how
};

// Logs in to one server by OAuth 2.1, when the server asks for it. Only one login at a time; whoever comes meanwhile
// waits and uses its token.
class OauthAuthorizer final : public McpAuthorizer {
 public:
  // The three others outlive it.
  OauthAuthorizer(HttpClient& http, const Clock& clock, OauthStore& store, OauthOptions options);

  Result<HttpHeaders> headers(std::stop_token stop) override;
  Result<void> refused(const HttpHead& head, const HttpHeaders& sent, std::stop_token stop) override;
  // As if the server had refused: for `deft mcp login`.
  Result<void> log_in(std::stop_token stop);
  void log_out();

 private:
  struct Client {
    std::string id{};
    std::string secret{};
    std::string auth_method{};  // how it shows its secret; empty: whatever the server takes
  };
  struct Grounds {  // what a login is built on
    ProtectedResource resource{};
    AuthorizationServer server{};
  };

  Result<Grounds> look_around(const OauthChallenge& challenge, const std::stop_token& stop);
  Result<AuthorizationServer> read_named_server(const std::string& url, const std::stop_token& stop);
  // `is_own`: nobody named it, it is only looked for where the server itself is. Whoever it says to be there, it is.
  Result<AuthorizationServer> find_server(const std::string& issuer, const std::stop_token& stop, bool is_own = false);
  Result<Client> find_client(const AuthorizationServer& server, const std::string& redirect_uri,
                             const std::vector<std::string>& scopes, const std::stop_token& stop);
  Result<Client> register_client(const AuthorizationServer& server, const std::string& redirect_uri,
                                 const std::vector<std::string>& scopes, const std::stop_token& stop);
  std::vector<std::string> wanted_scopes(const Grounds& grounds, const OauthChallenge& challenge) const;
  Result<void> authorize(const OauthChallenge& challenge, const std::stop_token& stop);
  Result<std::string> enterprise_grant(const Grounds& grounds, const std::vector<std::string>& scopes,
                                       const std::stop_token& stop);
  Result<std::string> client_assertion(const AuthorizationServer& server, const std::string& client) const;
  Result<Json> ask_for_token(HttpRequest request, const std::stop_token& stop);
  Result<void> visit_and_exchange(const Grounds& grounds, const std::vector<std::string>& scopes,
                                  const std::stop_token& stop);
  Result<std::string> check_return(const AuthorizationServer& server, std::string_view query,
                                   const std::string& state) const;
  Result<void> exchange(const Grounds& grounds, const Client& client, FormFields fields,
                        const std::vector<std::string>& scopes, const std::stop_token& stop);
  Result<void> refresh(const std::stop_token& stop);
  bool take_renewed();
  Result<Json> fetch_document(const std::string& url, const std::stop_token& stop);
  Result<void> check_place(const std::string& url, HttpRequest* request = nullptr) const;
  bool is_among_private() const;
  std::string token_key() const;
  static std::string client_key(const std::string& issuer);

  HttpClient& http_;
  const Clock& clock_;
  OauthStore& store_;
  const OauthOptions options_;

  std::mutex mutex_;        // held for a whole login
  Json token_;              // under mutex_; null: none. access_token, refresh_token?, expires_at?, scope, issuer, …
  bool is_loaded_ = false;  // under mutex_
  int step_ups_ = 0;        // under mutex_
};

}  // namespace deft
