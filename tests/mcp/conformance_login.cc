#include "conformance_login.h"

#include "deft/base/url.h"
#include "deft/mcp/oauth.h"

namespace deft {
namespace {

constexpr std::string_view kRedirect = "http://localhost:3000/callback";
constexpr std::size_t kPageBytesMax = std::size_t{1} << 20;

// Opens the page and is sent back at once.
class HastyBrowser final : public OauthBrowser {
 public:
  explicit HastyBrowser(HttpClient& http) : http_(http) {}
  Result<std::string> redirect_uri() override { return std::string(kRedirect); }
  Result<std::string> visit(const std::string& url, std::stop_token stop) override {
    const auto page = fetch(http_, {.url = url, .body_bytes_max = kPageBytesMax}, stop);
    if (!page) return std::unexpected(page.error());
    const auto location = find_header(page->headers, "location");
    if (!location) return fail(Errc::failed, "no redirect, HTTP status " + std::to_string(page->status));
    const auto back = parse_web_url(*location);
    if (!back || back->query.empty()) return fail(Errc::failed, "an odd redirect");
    return back->query.substr(1);
  }

 private:
  HttpClient& http_;
};

class ConformanceLogin final : public McpAuthorizer {
 public:
  ConformanceLogin(HttpClient& http, const Clock& clock, OauthOptions options)
      : browser_(http), login_(http, clock, store_, with_browser(std::move(options))) {}

  Result<HttpHeaders> headers(std::stop_token stop) override { return login_.headers(stop); }
  Result<void> refused(const HttpHead& head, const HttpHeaders& sent, std::stop_token stop) override {
    return login_.refused(head, sent, stop);
  }

 private:
  OauthOptions with_browser(OauthOptions options) {
    if (!options.client_credentials && !options.enterprise) options.browser = &browser_;
    return options;
  }

  OauthMemory store_;
  HastyBrowser browser_;
  OauthAuthorizer login_;
};

}  // namespace

std::unique_ptr<McpAuthorizer> make_conformance_login(HttpClient& http, const Clock& clock, std::string url,
                                                      std::string scenario, const Json& context) {
  OauthOptions options{.server = "conformance",
                       .url = std::move(url),
                       .client_name = "deft-conformance",
                       .client_id = std::string(find_string(context, "client_id").value_or("")),
                       .client_secret = std::string(find_string(context, "client_secret").value_or("")),
                       .client_metadata_url = "https://conformance-test.local/client-metadata.json",
                       .client_credentials = scenario.starts_with("auth/client-credentials"),
                       .private_key = std::string(find_string(context, "private_key_pem").value_or("")),
                       .signing_algorithm = std::string(find_string(context, "signing_algorithm").value_or("ES256"))};
  if (const auto id_token = find_string(context, "idp_id_token")) {
    options.enterprise =
        OauthOptions::Enterprise{.token_endpoint = std::string(find_string(context, "idp_token_endpoint").value_or("")),
                                 .client_id = std::string(find_string(context, "idp_client_id").value_or("")),
                                 .id_token = std::string(*id_token)};
  }
  return std::make_unique<ConformanceLogin>(http, clock, std::move(options));
}

}  // namespace deft
