#include "deft/ui/lone_servers.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "deft/os/http_network.h"
#include "deft/os/system_http_client.h"
#include "deft/os/warden_processes.h"
#include "deft/tools/shell_environment.h"

namespace deft {

// What the servers run in.
struct LoneServers::Ground {
  SystemClock clock;
  WardenProcesses processes{clock};
  SystemHttpClient http{http_network(ShellEnvironment::own())};
  std::function<void(PublishedTools)> publish;
  std::mutex publishing;  // one after another: of two lists of a server the later one counts
  std::atomic<SessionServers*> published_by = nullptr;
  std::unique_ptr<SessionServers> servers;  // last: it uses all the others

  void publish_waiting() {
    const std::lock_guard lock(publishing);
    SessionServers* from = published_by;
    if (from == nullptr) return;
    for (PublishedTools& published : from->take_published()) publish(std::move(published));
  }
};

LoneServers::LoneServers(std::unique_ptr<Ground> ground) : ground_(std::move(ground)) {}
LoneServers::~LoneServers() { stop(); }

SessionServers& LoneServers::servers() { return *ground_->servers; }

void LoneServers::stop() {
  {
    const std::lock_guard lock(ground_->publishing);
    ground_->published_by = nullptr;
  }
  ground_->servers->servers().stop();
}

Result<std::unique_ptr<LoneServers>> LoneServers::start(Options options) {
  auto choice = choose_servers(options.directory, options.requested, options.settings, options.trusted);
  if (!choice) return std::unexpected(std::move(choice.error()));
  for (const std::string& text : choice->notices) options.notice(text);
  if (choice->servers.empty()) return nullptr;

  auto ground = std::make_unique<Ground>();
  ground->publish = std::move(options.publish);
  std::vector<std::string> environment = ShellEnvironment::own();
  environment.insert(environment.end(), options.environment.begin(), options.environment.end());
  std::vector<std::string> folders = std::move(options.directories);
  folders.insert(folders.begin(), options.directory);
  ground->servers = std::make_unique<SessionServers>(
      SessionServersOptions{.processes = ground->processes,
                            .http = ground->http,
                            .clock = ground->clock,
                            .directory = options.directory,
                            .session_id = options.session_id,
                            .environment = std::move(environment),
                            .roots = [folders = std::move(folders)] { return folders; },
                            .elicitation = std::move(options.elicitation),
                            .tools_waiting = [raw = ground.get()] { raw->publish_waiting(); },
                            .noted = [notice = std::move(options.notice)](const std::string& text) { notice(text); }},
      *std::move(choice));
  ground->published_by = ground->servers.get();
  ground->publish_waiting();
  return std::unique_ptr<LoneServers>(new LoneServers(std::move(ground)));
}

}  // namespace deft
