#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "deft/config/mcp_settings.h"
#include "deft/mcp/oauth.h"
#include "deft/os/http_server.h"

namespace deft {

// The user's own browser: they are shown an address, and their browser comes back to a port of this machine that is
// open only for that.
class LoopbackBrowser final : public OauthBrowser {
 public:
  // `show` is given the page to open. `port`: 0 is any that is free.
  LoopbackBrowser(const Clock& clock, std::uint16_t port, std::function<void(const std::string& url)> show);
  ~LoopbackBrowser() override;

  Result<std::string> redirect_uri() override;
  Result<std::string> visit(const std::string& url, std::stop_token stop) override;

 private:
  struct Visit;
  const Clock& clock_;
  const std::uint16_t port_;
  const std::function<void(const std::string&)> show_;
  const std::shared_ptr<Visit> visit_;
  std::unique_ptr<HttpServer> server_;
};

// How to log in to a server, from its settings and the environment: MCP_CLIENT_SECRET is the client's secret,
// MCP_ID_TOKEN what shows an identity provider who the user is. A repository's own entry gets neither, nor a key file.
OauthOptions oauth_options(const McpServerSettings& settings, const VariableLookup& environment, OauthBrowser* browser);

// Tokens and client ids in a file that only its user can read (0600), shared by all sessions.
class OauthFile final : public OauthStore {
 public:
  explicit OauthFile(std::string file) : file_(std::move(file)) {}
  static std::string default_file();  // $XDG_STATE_HOME/deft/mcp-logins.json; empty without a home

  std::optional<Json> load(const std::string& key) override;
  void save(const std::string& key, const Json& value) override;
  void forget(const std::string& key) override;
  std::shared_ptr<void> alone(const Clock& clock, std::stop_token stop) override;

 private:
  Json read() const;
  void change(const std::string& key, const std::optional<Json>& value);

  const std::string file_;
  std::mutex mutex_;
  JsonObject unsaved_;  // under mutex_: where the file cannot be written, this session still knows
};

}  // namespace deft
