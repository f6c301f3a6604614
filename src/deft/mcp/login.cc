#include "deft/mcp/login.h"

#include <sys/stat.h>

#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "deft/os/change_file.h"

namespace deft {
namespace {

constexpr std::string_view kCallbackPath = "/callback";
constexpr std::string_view kDonePage =
    "<!doctype html><meta charset=utf-8><title>deft</title><p>You are logged in. This page can be closed.";
constexpr std::size_t kFileBytesMax = std::size_t{4} << 20;

}  // namespace

struct LoopbackBrowser::Visit {
  std::mutex mutex;
  std::condition_variable_any arrived;
  std::optional<std::string> query;  // under mutex
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
                            {
                              const std::lock_guard lock(visit->mutex);
                              if (!visit->query) visit->query = request.query;
                            }
                            visit->arrived.notify_all();
                            answer->send(200, {{"Content-Type", "text/html; charset=utf-8"}}, std::string(kDonePage));
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
  }
  show_(url);
  std::unique_lock lock(visit_->mutex);
  const auto deadline = clock_.on_steady_clock(clock_.now() + kOauthLoginTimeout);
  visit_->arrived.wait_until(lock, stop, deadline, [this] { return visit_->query.has_value(); });
  if (visit_->query) return *visit_->query;
  if (stop.stop_requested()) return fail(Errc::cancelled, "the login was cancelled");
  return fail(Errc::timeout, "nobody logged in within 10 minutes");
}

std::string OauthFile::default_file() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state && *state == '/') return std::string(state) + "/deft/mcp-logins.json";
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.local/state/deft/mcp-logins.json" : "";
}

Json OauthFile::read() const {
  std::ifstream file(file_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto json = parse_json(text, {.bytes_max = kFileBytesMax});
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

void OauthFile::save(const std::string& key, const Json& value) { change(key, value); }
void OauthFile::forget(const std::string& key) { change(key, std::nullopt); }

}  // namespace deft
