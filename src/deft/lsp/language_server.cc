#include "deft/lsp/language_server.h"

#include <algorithm>
#include <utility>

#include "deft/base/text.h"
#include "deft/lsp/file_uri.h"

namespace deft::lsp {
namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(50);  // before a request is made again; doubled each time
constexpr std::size_t kProgressCharactersMax = 100;
constexpr int kFileChanged = 2;

Json document_of(const std::string& path) { return JsonObject{{"uri", file_uri(path)}}; }

std::string token_of(const Json& params) {
  const Json* token = find(params, "token");
  return token ? to_json(*token) : "";
}

}  // namespace

Result<std::shared_ptr<LanguageServer>> LanguageServer::start(ServerStart start, Processes& processes,
                                                              const Clock& clock, const RequestUntil& until) {
  auto child = processes.start(start.command, until.stop);
  if (!child) return std::unexpected(child.error());
  std::shared_ptr<LanguageServer> server(new LanguageServer(std::move(start), clock));
  server->connect(std::move(*child));
  if (auto introduced = server->introduce(until); !introduced) return std::unexpected(introduced.error());
  return server;
}

LanguageServer::~LanguageServer() {
  board_.stop_waiting();
  connection_.reset();
}

void LanguageServer::connect(std::unique_ptr<Child> child) {
  ServerWords words{
      .on_notification = [this](std::string_view method, const Json& params) { hear(method, params); },
      .on_request = [this](std::string_view method, const Json& params) { return answer(method, params); },
      .on_end = [this] { hear_the_end(); }};
  connection_ = std::make_unique<Connection>(start_.spec.name, std::move(child), std::move(words), clock_);
}

Result<void> LanguageServer::introduce(const RequestUntil& until) {
  auto result = connection_->request("initialize", initialize_params(start_.spec, start_.root), until);
  if (!result) return std::unexpected(result.error());
  {
    const std::lock_guard lock(mutex_);
    abilities_ = read_abilities(*result);
  }
  connection_->notify("initialized", JsonObject{});
  if (!start_.spec.settings.is_null()) {
    connection_->notify("workspace/didChangeConfiguration", JsonObject{{"settings", start_.spec.settings}});
  }
  return {};
}

ServerAbilities LanguageServer::abilities() const {
  const std::lock_guard lock(mutex_);
  return abilities_;
}

bool LanguageServer::pulls_diagnostics() const {
  const std::lock_guard lock(mutex_);
  return abilities_.pulls_diagnostics;
}

Result<Documents::Document> LanguageServer::synchronise(const std::string& path, Files& files) {
  const std::lock_guard lock(documents_mutex_);
  if (!first_shown_) first_shown_ = clock_.now();
  bring_up_to_date(files, path);
  return documents_.show(path, files, abilities());
}

Result<Documents::Document> LanguageServer::synchronise(const std::string& path, const FileContent& content,
                                                        Files& files) {
  const std::lock_guard lock(documents_mutex_);
  if (!first_shown_) first_shown_ = clock_.now();
  bring_up_to_date(files, path);
  return documents_.show(path, content, abilities());
}

void LanguageServer::refresh(Files& files) {
  const std::lock_guard lock(documents_mutex_);
  bring_up_to_date(files);
}

void LanguageServer::bring_up_to_date(Files& files, std::string_view but_not) {
  const ServerAbilities can = abilities();
  documents_.refresh(files, can, but_not);
  if (!can.watches_files) return;
  JsonArray changes;
  for (const WatchedFiles::Change& change : watched_.look()) {
    if (documents_.is_open(change.path)) continue;  // it was told of that already
    changes.push_back(JsonObject{{"uri", file_uri(change.path)}, {"type", static_cast<int>(change.kind)}});
  }
  if (!changes.empty()) {
    connection_->notify("workspace/didChangeWatchedFiles", JsonObject{{"changes", std::move(changes)}});
  }
}

bool LanguageServer::knows(const std::string& path) const {
  const std::lock_guard lock(documents_mutex_);
  return documents_.is_open(path);
}

void LanguageServer::tell_of_change(const std::string& path) {
  connection_->notify("workspace/didChangeWatchedFiles",
                      JsonObject{{"changes", JsonArray{JsonObject{{"uri", file_uri(path)}, {"type", kFileChanged}}}}});
}

Result<Json> LanguageServer::request(std::string_view method, const Json& params, const RequestUntil& until) {
  Duration pause = kFirstPause;
  for (int retries = 0;; ++retries) {
    auto result = connection_->request(method, params, until);
    const bool may_ask_again = !result && result.error().code == Errc::stale && retries < kRetriesMax;
    if (!may_ask_again) return result;
    std::unique_lock lock(mutex_);
    const TimePoint wake = std::min(until.deadline, clock_.now() + pause);
    changed_.wait_until(lock, until.stop, clock_.on_steady_clock(wake), [] { return false; });
    pause *= 2;
  }
}

Result<std::optional<std::vector<Diagnostic>>> LanguageServer::diagnostics(const std::string& path,
                                                                           const Documents::Document& shown,
                                                                           const RequestUntil& until) {
  // Whether it wants to be asked it may say only once it has begun to work.
  const auto is_to_be_asked = [this] { return pulls_diagnostics(); };
  const bool was_said = !is_to_be_asked() &&
                        board_.wait_for(path, shown.version, shown.told_at, until.deadline, until.stop, is_to_be_asked);
  if (!was_said && is_to_be_asked()) {
    auto pulled = pull_diagnostics(path, until);
    if (!pulled) return std::unexpected(pulled.error());
    {
      const std::lock_guard lock(mutex_);
      if (pulled_.size() >= kDiagnosedFilesMax) pulled_.clear();
      pulled_[path] = std::move(*pulled);
    }
    return last_diagnostics(path);
  }
  if (!was_said) {
    if (const auto why = ended()) return fail(Errc::io, spec().name + " is gone: " + *why + ".");
    if (until.stop.stop_requested()) return fail(Errc::cancelled, "Cancelled while " + spec().name + " was at work.");
    return std::optional<std::vector<Diagnostic>>();
  }
  board_.wait_until_quiet(path, start_.settle_time, until.deadline, until.stop);
  return board_.of(path);
}

// Some say one part when they are asked and another by themselves.
std::optional<std::vector<Diagnostic>> LanguageServer::last_diagnostics(const std::string& path) const {
  std::optional<std::vector<Diagnostic>> last = board_.of(path);
  const std::lock_guard lock(mutex_);
  const auto pulled = pulled_.find(path);
  if (pulled == pulled_.end()) return last;
  if (!last) last.emplace();
  last->insert(last->begin(), pulled->second.begin(), pulled->second.end());
  return last;
}

Result<std::vector<Diagnostic>> LanguageServer::pull_diagnostics(const std::string& path, const RequestUntil& until) {
  auto report = request("textDocument/diagnostic", JsonObject{{"textDocument", document_of(path)}}, until);
  if (!report) return std::unexpected(report.error());
  const JsonArray* items = find_array(*report, "items");
  return items ? read_diagnostics(*items) : std::vector<Diagnostic>();
}

bool LanguageServer::wait_for_first_look(const std::string& path, const Documents::Document& shown,
                                         std::stop_token stop) {
  {
    const std::lock_guard lock(mutex_);
    if (is_silent_ || abilities_.pulls_diagnostics) return false;
  }
  if (board_.wait_for(path, shown.version, shown.told_at, clock_.now(), stop)) return false;
  const bool has_looked = board_.wait_for(path, shown.version, shown.told_at, clock_.now() + kFirstLookMax, stop,
                                          [this] { return pulls_diagnostics(); });
  const std::lock_guard lock(mutex_);
  if (!has_looked && !abilities_.pulls_diagnostics && !stop.stop_requested()) is_silent_ = true;
  return true;
}

void LanguageServer::warm_up(const std::string& path, const Documents::Document& shown, std::stop_token stop) {
  if (is_warm_) return;
  wait_for_first_look(path, shown, std::move(stop));
  is_warm_ = true;
}

std::optional<std::string> LanguageServer::wait_until_idle(const RequestUntil& until) {
  TimePoint settled = clock_.now();
  {
    const std::lock_guard lock(documents_mutex_);
    if (first_shown_) settled = *first_shown_ + start_.settle_time;
  }
  std::unique_lock lock(mutex_);
  const auto wait = [&](TimePoint deadline, const auto& condition) {
    changed_.wait_until(lock, until.stop, clock_.on_steady_clock(std::min(deadline, until.deadline)), condition);
  };
  if (!has_been_busy_ && clock_.now() < settled) wait(settled, [&] { return has_been_busy_; });
  wait(until.deadline, [&] { return progresses_.empty(); });
  if (progresses_.empty()) return std::nullopt;
  return progresses_.begin()->second;
}

void LanguageServer::hear_the_end() {
  board_.stop_waiting();
  const std::lock_guard lock(mutex_);
  progresses_.clear();
  changed_.notify_all();
}

void LanguageServer::hear(std::string_view method, const Json& params) {
  if (method == "textDocument/publishDiagnostics") return hear_diagnostics(params);
  if (method == "$/progress") return hear_progress(params);
}

std::expected<Json, RpcError> LanguageServer::answer(std::string_view method, const Json& params) {
  if (method == "client/registerCapability") {
    ServerAbilities added;
    register_abilities(added, params);
    if (added.watches_files) {
      const std::lock_guard lock(documents_mutex_);
      watched_.look();  // from now on it is told what changes
    }
  }
  {
    const std::lock_guard lock(mutex_);
    if (method == "client/registerCapability") register_abilities(abilities_, params);
    if (method == "client/unregisterCapability") unregister_abilities(abilities_, params);
  }
  board_.look_again();
  return answer_server(method, params, start_.spec, start_.root);
}

void LanguageServer::hear_diagnostics(const Json& params) {
  const auto uri = find_string(params, "uri");
  const auto path = uri ? path_of_uri(*uri) : std::nullopt;
  const JsonArray* list = find_array(params, "diagnostics");
  if (!path || !list) return;
  board_.publish(*path, find_int(params, "version"), read_diagnostics(*list));
}

void LanguageServer::hear_progress(const Json& params) {
  const Json* value = find(params, "value");
  const auto kind = value ? find_string(*value, "kind") : std::nullopt;
  if (!kind) return;
  const std::lock_guard lock(mutex_);
  const std::string token = token_of(params);
  if (*kind == "end") {
    progresses_.erase(token);
  } else if (*kind == "begin" && progresses_.size() < kProgressesMax) {
    has_been_busy_ = true;
    progresses_[token] = one_line(find_string(*value, "title").value_or("working"), kProgressCharactersMax);
  }
  changed_.notify_all();
}

}  // namespace deft::lsp
