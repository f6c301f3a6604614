#include "deft/mcp/login.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "deft/base/url.h"
#include "deft/base/whole_file.h"
#include "deft/os/change_file.h"
#include "deft/os/unique_fd.h"

namespace deft {
namespace {

constexpr std::string_view kCallbackPath = "/callback";
constexpr std::string_view kDonePage =
    "<!doctype html><meta charset=utf-8><title>deft</title><p>deft has got your answer. This page can be closed.";
constexpr std::string_view kRefusedPage =
    "<!doctype html><meta charset=utf-8><title>deft</title><p>The login was refused; deft says why.";
constexpr std::string_view kStrangerPage =
    "<!doctype html><meta charset=utf-8><title>deft</title><p>deft has not asked for this.";
constexpr Duration kRenewingLook = std::chrono::milliseconds(50);  // whether another process is done
constexpr std::size_t kFileBytesMax = std::size_t{4} << 20;
constexpr std::size_t kKeyBytesMax = std::size_t{64} << 10;

}  // namespace

struct LoopbackBrowser::Visit {
  std::mutex mutex;
  std::condition_variable_any arrived;
  std::string state;                 // this and all below under mutex; empty: nobody is expected
  std::optional<std::string> query;  // what the one who was expected brought

  // Anybody on this machine, and any page in the browser, can come here: only the answer to our question counts, and
  // what others say does not end the waiting.
  std::string_view take(const std::string& given) {
    const FormFields fields = form_decode(given);
    const std::string* named = find_field(fields, "state");
    {
      const std::lock_guard lock(mutex);
      if (state.empty() || named == nullptr || *named != state || query) return kStrangerPage;
      query = given;
    }
    arrived.notify_all();
    return find_field(fields, "code") != nullptr ? kDonePage : kRefusedPage;
  }
};

LoopbackBrowser::LoopbackBrowser(const Clock& clock, std::uint16_t port,
                                 std::function<void(const std::string& url)> show)
    : clock_(clock), port_(port), show_(std::move(show)), visit_(std::make_shared<Visit>()) {}

LoopbackBrowser::~LoopbackBrowser() = default;

Result<std::string> LoopbackBrowser::redirect_uri() {
  if (!server_) {
    auto server =
        start_http_server({.port = port_, .connections_max = 16}, clock_,
                          [visit = visit_](const ReadRequest& request, const std::shared_ptr<HttpAnswer>& answer) {
                            if (request.path != kCallbackPath || request.method != "GET")
                              return answer->send(404, {}, "");
                            const std::string_view page = visit->take(request.query);
                            answer->send(page == kStrangerPage ? 400 : 200,
                                         {{"Content-Type", "text/html; charset=utf-8"}}, std::string(page));
                          });
    if (!server) return std::unexpected(std::move(server.error()));
    server_ = *std::move(server);
  }
  return "http://127.0.0.1:" + std::to_string(server_->port()) + std::string(kCallbackPath);
}

Result<std::string> LoopbackBrowser::visit(const std::string& url, std::stop_token stop) {
  {
    const std::lock_guard lock(visit_->mutex);
    visit_->query.reset();
    const auto page = parse_web_url(url);
    const FormFields asked = form_decode(page && !page->query.empty() ? page->query.substr(1) : "");
    const std::string* state = find_field(asked, "state");
    visit_->state = state == nullptr ? "" : *state;
  }
  show_(url);
  std::unique_lock lock(visit_->mutex);
  const auto deadline = clock_.on_steady_clock(clock_.now() + kOauthLoginTimeout);
  visit_->arrived.wait_until(lock, stop, deadline, [this] { return visit_->query.has_value(); });
  if (visit_->query) return *visit_->query;
  if (stop.stop_requested()) return fail(Errc::cancelled, "the login was cancelled");
  return fail(Errc::timeout, "nobody logged in within 10 minutes");
}

OauthOptions oauth_options(const McpServerSettings& settings, const VariableLookup& environment,
                           OauthBrowser* browser) {
  const McpOauthSettings& oauth = settings.oauth;
  // Whoever wrote a repository's entry chose where what it gets goes to.
  const bool is_project = settings.scope == McpScope::project;
  const auto has = [&](const char* name) { return !environment(name).value_or("").empty(); };
  OauthOptions out{.server = settings.name,
                   .url = settings.url,
                   .client_id = oauth.client_id,
                   .client_secret = is_project ? "" : environment("MCP_CLIENT_SECRET").value_or(""),
                   .client_metadata_url = oauth.client_metadata_url,
                   .scopes = oauth.scopes,
                   .authorization_server_url = oauth.server_metadata_url,
                   .client_credentials = oauth.client_credentials,
                   .signing_algorithm = oauth.signing_algorithm,
                   .withholds_secrets = is_project,
                   .uses_proxy = has("https_proxy") || has("HTTPS_PROXY") || has("all_proxy") || has("ALL_PROXY"),
                   .browser = browser};
  if (!oauth.private_key_file.empty() && !is_project) {
    std::ifstream file(oauth.private_key_file, std::ios::binary);
    out.private_key.resize(kKeyBytesMax);
    file.read(out.private_key.data(), static_cast<std::streamsize>(out.private_key.size()));
    out.private_key.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    if (out.private_key.empty()) out.private_key = "none";  // whoever signs with it says what is wrong
  }
  const auto id_token = environment("MCP_ID_TOKEN");
  if (!oauth.enterprise_token_endpoint.empty() && id_token && !is_project) {
    out.enterprise = OauthOptions::Enterprise{.token_endpoint = oauth.enterprise_token_endpoint,
                                              .client_id = oauth.enterprise_client_id,
                                              .id_token = *id_token};
  }
  return out;
}

std::string OauthFile::default_file() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state && *state == '/') return std::string(state) + "/deft/mcp-logins.json";
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.local/state/deft/mcp-logins.json" : "";
}

Json OauthFile::read() const {
  const auto text = read_whole_file(file_, kFileBytesMax);
  auto json = parse_json(text ? *text : "", {.bytes_max = kFileBytesMax});
  return json && json->is_object() ? *std::move(json) : Json(JsonObject{});
}

std::optional<Json> OauthFile::load(const std::string& key) {
  const std::lock_guard lock(mutex_);
  if (const Json* value = unsaved_.if_contains(key)) return *value;
  const Json all = read();
  const Json* value = find(all, key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

void OauthFile::change(const std::string& key, const std::optional<Json>& value) {
  const std::lock_guard lock(mutex_);
  const Result<void> changed = file_.empty()
                                   ? Result<void>(fail(Errc::not_found, "there is no home folder"))
                                   : change_file(file_, [&](const std::string& text) -> Result<std::string> {
                                       auto json = parse_json(text, {.bytes_max = kFileBytesMax});
                                       JsonObject all = json && json->is_object() ? json->get_object() : JsonObject{};
                                       if (value) {
                                         all[key] = *value;
                                       } else {
                                         all.erase(key);
                                       }
                                       return to_json(all) + "\n";
                                     });
  if (changed) {
    unsaved_.erase(key);
    ::chmod(file_.c_str(), 0600);  // a new file is private anyway; one that somebody made before may not be
  } else if (value) {
    unsaved_[key] = *value;
  }
}

std::shared_ptr<void> OauthFile::alone(const Clock& clock, std::stop_token stop) {
  if (file_.empty()) return nullptr;
  const auto fd = std::make_shared<UniqueFd>(
      ::open((file_ + ".renewing").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!*fd) return nullptr;
  const TimePoint deadline = clock.now() + kOauthRequestTimeout;
  while (::flock(fd->get(), LOCK_EX | LOCK_NB) != 0) {
    if (stop.stop_requested() || clock.now() >= deadline) return nullptr;
    std::mutex idle;
    std::unique_lock lock(idle);
    std::condition_variable_any never;
    never.wait_until(lock, stop, clock.on_steady_clock(clock.now() + kRenewingLook), [] { return false; });
  }
  return fd;
}

void OauthFile::save(const std::string& key, const Json& value) { change(key, value); }
void OauthFile::forget(const std::string& key) { change(key, std::nullopt); }

}  // namespace deft
