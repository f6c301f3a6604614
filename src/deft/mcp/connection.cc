#include "deft/mcp/connection.h"

#include <algorithm>
#include <utility>

#include "deft/base/content_hash.h"
#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::size_t kProblemsKept = 20;
constexpr std::size_t kDetailCharacters = 1000;

}  // namespace

std::string_view to_string(McpState state) {
  switch (state) {
    case McpState::starting: return "starting";
    case McpState::ready: return "ready";
    case McpState::down: return "down";
    case McpState::needs_login: return "needs login";
    case McpState::failed: return "failed";
    case McpState::stopped: return "stopped";
  }
  return "";
}

McpConnection::McpConnection(const Clock& clock, McpConnectionOptions options)
    : clock_(clock), options_(std::move(options)) {
  status_.name = options_.settings.name;
}

McpConnection::~McpConnection() { stop(); }

void McpConnection::start() {
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable()) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
}

void McpConnection::stop() {
  std::jthread thread;
  {
    const std::lock_guard lock(mutex_);
    thread = std::move(thread_);
  }
  thread.request_stop();
  changed_.notify_all();
  if (thread.joinable()) thread.join();
}

void McpConnection::reconnect() {
  {
    const std::lock_guard lock(mutex_);
    is_wanted_now_ = true;
    is_gone_ = true;
    gone_because_ = "it is connected anew";
  }
  changed_.notify_all();
}

McpStatus McpConnection::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

bool McpConnection::wait_until_settled(TimePoint deadline, std::stop_token stop) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, stop, clock_.on_steady_clock(deadline), [this] { return is_settled_; });
}

void McpConnection::set_state(McpState state, std::string detail) {
  McpStatus told;
  {
    const std::lock_guard lock(mutex_);
    status_.state = state;
    status_.detail = one_line(detail, kDetailCharacters);
    if (state != McpState::starting) is_settled_ = true;
    told = status_;
  }
  changed_.notify_all();
  if (options_.changed) options_.changed(told);
}

void McpConnection::run(const std::stop_token& stop) {
  Duration delay = options_.restart_delay;
  int starts = 0;
  while (!stop.stop_requested()) {
    const TimePoint began = clock_.now();
    const bool is_worth_it = live_once(stop);
    if (stop.stop_requested()) break;
    if (clock_.now() - began >= kMcpStableAfter) {
      starts = 0;
      delay = options_.restart_delay;
    }
    const bool tries_again = is_worth_it && ++starts < kMcpStartsMax;
    if (is_worth_it && !tries_again) {
      set_state(McpState::failed, "it was started " + std::to_string(starts) + " times in vain: " + status().detail);
    }
    std::unique_lock lock(mutex_);
    const auto is_wanted = [this] { return is_wanted_now_; };
    if (tries_again) {
      changed_.wait_until(lock, stop, clock_.on_steady_clock(clock_.now() + delay), is_wanted);
      delay = std::min(delay * 2, kMcpRestartDelayMax);
    } else {
      changed_.wait(lock, stop, is_wanted);
    }
    if (std::exchange(is_wanted_now_, false)) starts = 0;
  }
  set_state(McpState::stopped, "");
}

bool McpConnection::live_once(const std::stop_token& stop) {
  set_state(McpState::starting, "");
  {
    const std::lock_guard lock(mutex_);
    is_gone_ = false;
    tools_changed_ = false;
    is_wanted_now_ = false;
  }
  McpHandlers handlers = options_.handlers;
  handlers.list_changed = [this](McpListKind kind) {
    {
      const std::lock_guard lock(mutex_);
      if (kind == McpListKind::tools || kind == McpListKind::prompts) tools_changed_ = true;
    }
    changed_.notify_all();
  };
  handlers.resource_updated = [this](const std::string& uri) { resource_updated(uri); };
  handlers.closed = [this](const Error& why) {
    {
      const std::lock_guard lock(mutex_);
      is_gone_ = true;
      gone_because_ = why.message;
    }
    changed_.notify_all();
  };
  const TimePoint began = clock_.now();
  const auto client = std::make_shared<McpClient>(
      clock_,
      McpClientOptions{.server = options_.settings.name,
                       .connect_timeout = options_.connect_timeout,
                       .call_timeout = options_.call_timeout,
                       .remembered_protocol = options_.memory ? options_.memory->protocol(options_.identity) : "",
                       .make_transport = options_.make_transport},
      std::move(handlers));
  const auto connected = client->connect(stop);
  if (!connected) {
    client->close();
    const McpFailure& failure = connected.error();
    const bool wants_login = failure.http_status == 401;
    set_state(wants_login ? McpState::needs_login : McpState::failed, failure.message);
    // What cannot be found or is refused today is so in a second too.
    return !wants_login && failure.code != Errc::not_found && failure.code != Errc::denied &&
           failure.code != Errc::unsupported;
  }
  const McpServerFacts facts = client->facts();
  if (options_.memory) options_.memory->keep_protocol(options_.identity, facts.protocol);
  std::set<std::string> watched;
  {
    const std::lock_guard lock(mutex_);
    status_.facts = facts;
    client_ = client;
    watched = watched_;
  }
  // What it was to tell in its last life. One that has changed meanwhile is worth a look.
  for (const std::string& uri : watched) {
    const auto told = client->subscribe(uri, stop);
    if (told) resource_updated(uri);
    if (!told && told.error().code == Errc::timeout) break;  // its tools do not wait for each of them
  }
  refresh_tools(*client, /*is_first=*/true, stop);
  {
    const std::lock_guard lock(mutex_);
    status_.took = clock_.now() - began;
  }
  bool is_gone = client->end().has_value();
  if (!is_gone) set_state(McpState::ready, "");
  while (!is_gone && !stop.stop_requested()) {
    bool refresh = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [this] { return is_gone_ || tools_changed_; });
      is_gone = is_gone_;
      refresh = std::exchange(tools_changed_, false);
    }
    if (is_gone || !refresh || stop.stop_requested()) continue;
    refresh_tools(*client, /*is_first=*/false, stop);
    // A server that announces changes without end is not asked without end.
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, stop, clock_.on_steady_clock(clock_.now() + kMcpRefreshPause),
                        [this] { return is_gone_; });
  }
  std::string why;
  {
    const std::lock_guard lock(mutex_);
    client_ = nullptr;
    why = gone_because_;
  }
  if (!stop.stop_requested()) set_state(McpState::down, why);
  client->close();
  return true;
}

void McpConnection::refresh_tools(McpClient& client, bool is_first, const std::stop_token& stop) {
  const auto tool_list = client.list(McpListKind::tools, stop);
  const auto prompts = client.list(McpListKind::prompts, stop);
  std::string listed;
  for (const auto* list : {&tool_list, &prompts}) {
    if (!*list) continue;
    for (const Json& item : (*list)->items) listed += to_json(item) + '\n';
  }
  listed = content_hash(listed);
  std::vector<std::string> problems;
  std::vector<std::shared_ptr<Tool>> tools;
  if (tool_list) {
    tools = make_tools(*tool_list, problems);
    if (tool_list->cut) problems.push_back("its list of tools is longer than deft takes");
  } else {
    problems.push_back("its tools could not be listed: " + tool_list.error().message);
  }
  {
    const std::lock_guard lock(mutex_);
    if (!is_first && listed == listed_) return;
    listed_ = std::move(listed);
    status_.tools = tools.size();
    if (problems.size() > kProblemsKept) problems.resize(kProblemsKept);
    for (std::string& problem : problems) problem = one_line(problem, kDetailCharacters);
    status_.problems = std::move(problems);
    prompts_ = prompts ? prompts->items : std::vector<Json>{};
  }
  if (options_.publish && !stop.stop_requested()) options_.publish(name(), std::move(tools));
}

// What the tools hold of their server. A server that is no more has no tools that work.
class McpConnection::Tools final : public McpCaller {
 public:
  explicit Tools(std::weak_ptr<McpConnection> server, std::string name)
      : server_(std::move(server)), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  std::optional<std::string> down() const override {
    const auto server = server_.lock();
    return server ? server->down() : std::optional<std::string>(gone());
  }
  McpOutcome call_tool(const std::string& tool, const Json& arguments, McpCallOptions options,
                       std::stop_token stop) override {
    const auto server = server_.lock();
    if (!server) return std::unexpected(failure());
    return server->call_tool(tool, arguments, std::move(options), std::move(stop));
  }
  std::expected<McpList, McpFailure> list(McpListKind kind, std::stop_token stop) override {
    const auto server = server_.lock();
    if (!server) return std::unexpected(failure());
    return server->list(kind, std::move(stop));
  }
  McpOutcome read_resource(const std::string& uri, std::stop_token stop) override {
    const auto server = server_.lock();
    if (!server) return std::unexpected(failure());
    return server->read_resource(uri, std::move(stop));
  }
  std::expected<void, McpFailure> watch_resource(const std::string& uri, bool watch, std::stop_token stop) override {
    const auto server = server_.lock();
    if (!server) return std::unexpected(failure());
    return server->watch_resource(uri, watch, std::move(stop));
  }

 private:
  std::string gone() const { return "The MCP server " + name_ + " is not part of this session any more."; }
  McpFailure failure() const { return {.code = Errc::tool_disabled, .message = gone(), .not_processed = true}; }

  const std::weak_ptr<McpConnection> server_;
  const std::string name_;
};

std::vector<std::shared_ptr<Tool>> McpConnection::make_tools(const McpList& list, std::vector<std::string>& problems) {
  std::vector<McpToolDefinition> definitions;
  std::vector<std::string> tool_names;
  std::set<std::string> seen;
  for (const Json& entry : list.items) {
    auto definition = read_tool_definition(entry);
    if (!definition) {
      problems.push_back(definition.error().message);
    } else if (!seen.insert(definition->name).second) {
      problems.push_back("the tool " + json_quote(definition->name) + " stands twice in its list");
    } else {
      tool_names.push_back(definition->name);
      definitions.push_back(*std::move(definition));
    }
  }
  std::vector<std::shared_ptr<Tool>> tools;
  const auto caller = std::make_shared<Tools>(weak_from_this(), name());
  std::vector<McpToolName> names = mcp_tool_names(name(), tool_names);
  std::size_t always_loaded = 0;  // bytes
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    McpToolDefinition* definition = &definitions[i];
    names[i].source = to_string(options_.settings.scope);
    if (options_.is_of_another && options_.is_of_another(names[i])) {
      problems.push_back("the tool " + json_quote(definition->name) +
                         " is left out: its name would be taken for that of another server");
      continue;
    }
    if (options_.settings.always_load) {
      definition->always_load = true;
    } else if (definition->always_load && (always_loaded += definition->bytes) > kMcpAlwaysLoadBytesMax) {
      definition->always_load = false;
      problems.push_back("the tool " + json_quote(definition->name) +
                         " is not always loaded as it wishes: together with others that is too much");
    }
    bool changed = false;
    std::function<void()> was_run;
    if (McpMemory* memory = options_.memory) {
      const auto known = memory->tool(options_.identity, definition->name);
      changed = known && *known != definition->identity;
      was_run = [memory, server = options_.identity, tool = definition->name, identity = definition->identity] {
        memory->keep_tool(server, tool, identity);
      };
    }
    tools.push_back(make_mcp_tool(caller, std::move(*definition), std::move(names[i]), changed, std::move(was_run)));
  }
  return tools;
}

std::optional<std::string> McpConnection::down() const {
  const std::lock_guard lock(mutex_);
  switch (status_.state) {
    case McpState::ready: return std::nullopt;
    case McpState::starting:
      return client_ ? std::nullopt : std::optional("The MCP server " + name() + " is starting.");
    case McpState::needs_login:
      return "The MCP server " + name() + " wants a login: the user has to run `deft mcp login " + name() + "`.";
    default: break;
  }
  return "The MCP server " + name() +
         " is not running: " + (status_.detail.empty() ? std::string("it was stopped") : status_.detail) + ".";
}

std::expected<std::shared_ptr<McpClient>, McpFailure> McpConnection::client() const {
  {
    const std::lock_guard lock(mutex_);
    if (client_) return client_;
  }
  return std::unexpected(
      McpFailure{.code = Errc::tool_disabled, .message = down().value_or("It is not running."), .not_processed = true});
}

McpOutcome McpConnection::call_tool(const std::string& tool, const Json& arguments, McpCallOptions options,
                                    std::stop_token stop) {
  const auto live = client();
  if (!live) return std::unexpected(live.error());
  return (*live)->call_tool(tool, arguments, std::move(options), std::move(stop));
}

std::expected<McpList, McpFailure> McpConnection::list(McpListKind kind, std::stop_token stop) {
  const auto live = client();
  if (!live) return std::unexpected(live.error());
  return (*live)->list(kind, std::move(stop));
}

McpOutcome McpConnection::read_resource(const std::string& uri, std::stop_token stop) {
  const auto live = client();
  if (!live) return std::unexpected(live.error());
  return (*live)->read_resource(uri, std::move(stop));
}

std::expected<void, McpFailure> McpConnection::watch_resource(const std::string& uri, bool watch,
                                                              std::stop_token stop) {
  const auto live = client();
  if (!live) return std::unexpected(live.error());
  {
    const std::lock_guard lock(mutex_);
    if (watch && watched_.size() >= kMcpWatchedResourcesMax && !watched_.contains(uri)) {
      return std::unexpected(McpFailure{
          .code = Errc::limit,
          .message = "the changes of at most " + std::to_string(kMcpWatchedResourcesMax) + " resources are told",
          .not_processed = true});
    }
  }
  auto told = watch ? (*live)->subscribe(uri, stop) : (*live)->unsubscribe(uri, stop);
  const std::lock_guard lock(mutex_);
  if (!watch) {
    watched_.erase(uri);
    changed_resources_.erase(uri);
  } else if (told) {
    watched_.insert(uri);
  }
  return told;
}

// A server may name a part of what was asked for. Only what we asked for is ever told, in our own words for it.
void McpConnection::resource_updated(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  for (const std::string& watched : watched_) {
    if (uri.starts_with(watched)) changed_resources_.insert(watched);
  }
}

std::vector<std::string> McpConnection::take_changed_resources() {
  const std::lock_guard lock(mutex_);
  const std::set<std::string> changed = std::exchange(changed_resources_, {});
  return {changed.begin(), changed.end()};
}

McpOutcome McpConnection::get_prompt(const std::string& prompt, const JsonObject& arguments, std::stop_token stop) {
  const auto live = client();
  if (!live) return std::unexpected(live.error());
  return (*live)->get_prompt(prompt, arguments, std::move(stop));
}

std::vector<Json> McpConnection::prompts() const {
  const std::lock_guard lock(mutex_);
  return prompts_;
}

std::string McpConnection::last_words() const {
  const auto live = client();
  return live ? (*live)->last_words() : std::string();
}

}  // namespace deft
