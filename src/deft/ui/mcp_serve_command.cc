#include "deft/ui/mcp_serve_command.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "deft/base/path.h"
#include "deft/mcp/mcp_tool.h"
#include "deft/mcp/server_http.h"
#include "deft/mcp/server_stdio.h"
#include "deft/os/poll_until.h"
#include "deft/os/random_token.h"
#include "deft/os/unique_fd.h"
#include "deft/tools/builtin.h"
#include "deft/ui/builtin_options.h"
#include "deft/ui/hook_setup.h"
#include "deft/ui/line_writer.h"
#include "deft/ui/lone_servers.h"
#include "deft/ui/mcp_serve_options.h"
#include "deft/ui/mcp_tool_service.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/settings_store.h"

namespace deft {
namespace {

constexpr int kExitBadArguments = 2;
constexpr Duration kLastRequestsGrace = std::chrono::seconds(5);
constexpr Duration kLastRequestsLook = std::chrono::milliseconds(10);
constexpr std::string_view kInstructions =
    "deft's tools for files, search, shell commands and the web on this machine. Calls pass the permissions of whoever "
    "runs this server: one that is denied is answered with what would allow it. Read a file before you edit it.";

int complain(const Error& error) {
  std::fprintf(stderr, "deft mcp serve: %s\n", safe_display(error.message).c_str());
  return kExitBadArguments;
}

void say(const std::string& text) { std::fprintf(stderr, "deft mcp serve: %s\n", safe_display(text).c_str()); }

// SIGINT and SIGTERM as a descriptor. Before any thread starts.
UniqueFd take_over_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  return UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

// All that serves, in the order in which it is needed.
class Serving {
 public:
  Serving(McpServeOptions options, UniqueFd signals) : options_(std::move(options)), signals_(std::move(signals)) {}

  int run() {
    const ExecOptions& session = options_.session;
    HookSetup hooks(session.hooks, session.working_directory);
    SettingsStore store(session.settings_request, session.settings_signature, session.permissions,
                        [&](HookConfig changed) { hooks.use(std::move(changed)); });
    ResultOptions results = result_options(session.settings);
    auto workshop =
        Workshop::open({.session_folder = session.session_folder,
                        .hooks = &hooks.runner(),
                        .store = &store,
                        .quota = results.quota,
                        .survives = session.settings.waits_for_disk ? Survives::power_cut : Survives::killed});
    if (!workshop) return complain(workshop.error());
    for (const std::string& path : (*workshop)->recover_files()) {
      say(path + " had been left half-written by a session that was killed; its old content is back.");
    }
    const std::string& folder = (*workshop)->folder();
    hooks.begin_session(std::string(file_name(folder)), folder);
    std::unique_ptr<LoneServers> proxy;
    auto service = McpToolService::make(
        {.engine = {.working_directory = session.working_directory,
                    .directories = session.directories,
                    .permissions = session.permissions,
                    .executor = {.slots = session.slots,
                                 .scheduling = session.settings.exclusive_scheduling ? Scheduling::exclusive
                                                                                     : Scheduling::footprints},
                    .results = std::move(results),
                    .workshop = workshop->get()},
         .make_tools =
             [&](Engine& engine) {
               BuiltinOptions builtin = builtin_options(session.settings);
               builtin.search.denied = [&engine](std::string_view path, bool) {
                 return engine.permissions()->hides(path);
               };
               auto tools = make_builtin_tools(builtin);
               if (!options_.proxy) return tools;
               const McpCallers callers = [&proxy] {
                 return proxy ? proxy->servers().servers().callers() : std::vector<std::shared_ptr<McpCaller>>();
               };
               tools.push_back(make_list_mcp_resources_tool(callers));
               tools.push_back(make_read_mcp_resource_tool(callers));
               return tools;
             },
         .left_out = {"AskUserQuestion", "EnterPlanMode", "ExitPlanMode"},  // they talk to a person who is not here
         .asks_client = options_.asks_client,
         .clock = clock_,
         .instructions = std::string(kInstructions),
         .notice = say,
         .announce = [this](const McpChange& change) { announce(change); }});
    if (!service) return complain(service.error());
    std::jthread waiter;
    if (options_.proxy) {
      auto started = LoneServers::start(
          {.directory = session.working_directory,
           .requested = session.mcp,
           .settings = session.settings_files,
           .trusted = session.permissions.trusted,
           .directories = session.directories,
           .session_id = std::string(file_name(folder)),
           .environment = {std::string(kMcpProxyVariable) + "=1"},
           .publish = [target = service->get()](
                          PublishedTools published) { target->set_group(published.server, published.tools); },
           .notice = say});
      if (!started) return complain(started.error());
      proxy = std::move(*started);
    }
    if (proxy) {
      (*service)->expect_more();
      waiter = std::jthread([&](const std::stop_token& stop) {
        proxy->wait_for_first(stop);
        (*service)->complete();
      });
    }
    const int exit_code = options_.over_http ? serve_http(**service) : serve_stdio(**service);
    waiter.request_stop();
    if (waiter.joinable()) waiter.join();
    const bool is_stuck = (*service)->end();
    proxy.reset();
    if (is_stuck) std::_Exit(exit_code);
    return exit_code;
  }

 private:
  void announce(const McpChange& change) {
    const std::lock_guard lock(mutex_);
    if (announce_) announce_(change);
  }
  void announce_by(std::function<void(const McpChange&)> how) {
    const std::lock_guard lock(mutex_);
    announce_ = std::move(how);
  }

  int serve_stdio(McpToolService& service) {
    std::atomic<bool> is_broken = false;
    LineWriter writer(STDOUT_FILENO, [&] { is_broken = true; });
    {
      McpStdioEndpoint endpoint(service, [&](std::string line) { writer.put(std::move(line)); });
      announce_by([&](const McpChange& change) { endpoint.announce(change); });
      std::string buffer(std::size_t{64} << 10, '\0');
      while (!is_broken) {
        std::array<pollfd, 3> watched = {
            {{STDIN_FILENO, POLLIN, 0}, {signals_.get(), POLLIN, 0}, {STDOUT_FILENO, 0, 0}}};
        poll_until(watched, clock_, std::nullopt);
        const bool nobody_reads = (watched[2].revents & (POLLERR | POLLHUP)) != 0;
        if (watched[1].revents != 0 || nobody_reads) break;
        if (watched[0].revents == 0) continue;
        const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) break;
        if (count > 0) endpoint.feed(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
      }
      finish_requests(endpoint, is_broken);
      announce_by(nullptr);
      endpoint.end();
    }
    service.end();  // its threads write no more
    writer.finish();
    return 0;
  }

  // The client says no more; what it has asked for is answered, if that takes no longer than it would wait.
  void finish_requests(const McpStdioEndpoint& endpoint, const std::atomic<bool>& is_broken) {
    const TimePoint deadline = clock_.now() + kLastRequestsGrace;
    while (endpoint.requests() > 0 && !is_broken && clock_.now() < deadline) {
      std::array<pollfd, 2> watched = {{{signals_.get(), POLLIN, 0}, {STDOUT_FILENO, 0, 0}}};
      if (poll_until(watched, clock_, clock_.now() + kLastRequestsLook) > 0) return;
    }
  }

  int serve_http(McpToolService& service) {
    const bool makes_token = options_.token.empty();
    if (makes_token) {
      auto token = random_token();
      if (!token) return complain({token.error().code, token.error().message + "; give a token with --token-file"});
      options_.token = std::move(*token);
    }
    // Which port it is, is known only when it listens; until then nobody is let in.
    std::shared_ptr<McpHttpEndpoint> endpoint;
    std::mutex mutex;
    const auto endpoint_now = [&] {
      const std::lock_guard lock(mutex);
      return endpoint;
    };
    HttpServerOptions listening{.address = options_.address, .port = options_.port};
    listening.takes_body = [&](const ReadRequest& head) {
      const auto now = endpoint_now();
      return now && now->takes_body(head);
    };
    auto server =
        start_http_server(std::move(listening), clock_, [&](ReadRequest request, std::shared_ptr<HttpAnswer> answer) {
          const auto now = endpoint_now();
          if (!now) return answer->send(503, {{"Retry-After", "1"}}, "");
          now->serve(std::move(request), std::move(answer));
        });
    if (!server) return complain(server.error());
    const std::uint16_t port = (*server)->port();
    {
      const std::lock_guard lock(mutex);
      endpoint = std::make_shared<McpHttpEndpoint>(service, HttpGuard(options_.names, port, options_.token), clock_);
    }
    announce_by([&](const McpChange& change) { endpoint->announce(change); });
    const bool is_ip6 = options_.address.find(':') != std::string::npos;
    const std::string host = is_ip6 ? "[" + options_.address + "]" : options_.address;
    std::printf("%s\n", to_json(JsonObject{{"type", "listening"},
                                           {"url", "http://" + host + ":" + std::to_string(port) + "/mcp"}})
                            .c_str());
    std::fflush(stdout);
    if (makes_token) std::fprintf(stderr, "deft mcp serve: the token for this run is %s\n", options_.token.c_str());
    std::array<pollfd, 1> watched = {{{signals_.get(), POLLIN, 0}}};
    poll_until(watched, clock_, std::nullopt);
    announce_by(nullptr);
    server->reset();
    endpoint.reset();
    return 0;
  }

  McpServeOptions options_;
  const UniqueFd signals_;
  SystemClock clock_;
  std::mutex mutex_;
  std::function<void(const McpChange&)> announce_;  // under mutex_
};

}  // namespace

int run_mcp_serve(int argc, const char* const* argv) {
  auto parsed = parse_mcp_serve_options(argc, argv);
  if (!parsed) return complain(parsed.error());
  if (const auto* help = std::get_if<ShowText>(&*parsed)) return std::fputs(help->text.c_str(), stdout), 0;
  auto& options = std::get<McpServeOptions>(*parsed);
  for (const std::string& notice : options.session.notices) say(notice);
  UniqueFd signals = take_over_signals();
  return Serving(std::move(options), std::move(signals)).run();
}

}  // namespace deft
