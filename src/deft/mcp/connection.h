#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "deft/config/mcp_settings.h"
#include "deft/mcp/client.h"
#include "deft/mcp/mcp_tool.h"
#include "deft/mcp/memory.h"

namespace deft {

// Between two attempts to start a server: doubled each time, up to the second one.
inline constexpr Duration kMcpRestartDelay = std::chrono::seconds(1);
inline constexpr Duration kMcpRestartDelayMax = std::chrono::seconds(30);
inline constexpr int kMcpStartsMax = 6;  // in a row; a server that worked for a minute begins to count anew
inline constexpr Duration kMcpStableAfter = std::chrono::minutes(1);
// Between two questions for a list that changes again and again.
inline constexpr Duration kMcpRefreshPause = std::chrono::seconds(1);
// Resources of one server whose changes are told.
inline constexpr std::size_t kMcpWatchedResourcesMax = 100;

enum class McpState : std::uint8_t { starting, ready, down, needs_login, failed, stopped };
std::string_view to_string(McpState state);

struct McpStatus {
  std::string name{};
  McpState state = McpState::starting;
  std::string detail{};  // what is wrong, and what to do
  McpServerFacts facts{};
  std::size_t tools = 0;
  std::vector<std::string> problems{};  // tools that were left out, and why; the first few
  std::optional<Duration> took{};       // from its start until its tools were there
};

// What a server needs of its surroundings.
struct McpConnectionOptions {
  McpServerSettings settings{};  // expanded
  std::string identity{};        // of these settings, for the memory
  Duration connect_timeout = kMcpConnectTimeout;
  Duration call_timeout = kMcpCallTimeout;
  Duration restart_delay = kMcpRestartDelay;
  std::function<std::unique_ptr<McpTransport>(bool old_sse)> make_transport{};
  McpHandlers handlers{};       // roots, sampling, elicitation; logged and noted
  McpMemory* memory = nullptr;  // outlives the server
  // A tool of this name would be taken for another server, or for a tool of one: it is left out.
  std::function<bool(const McpToolName&)> is_of_another{};
  // Its tools, whenever they are others than before; on a thread of the server.
  std::function<void(const std::string& server, std::vector<std::shared_ptr<Tool>> tools)> publish{};
  std::function<void(const McpStatus&)> changed{};
};

// A configured server through all its lives. A thread of its own starts it, asks for its tools, notices when it is
// gone and starts it again, with growing pauses. What was under way when it died has failed, and is not sent again.
class McpConnection final : public McpCaller, public std::enable_shared_from_this<McpConnection> {
 public:
  McpConnection(const Clock& clock, McpConnectionOptions options);
  ~McpConnection() override;

  void start();      // returns at once
  void reconnect();  // now, whatever its state
  // The thread ends and with it the server. Called before the last owner lets go.
  void stop();
  McpStatus status() const;
  // True: it has been tried once. False: it was not by then.
  bool wait_until_settled(TimePoint deadline, std::stop_token stop) const;

  const std::string& name() const override { return options_.settings.name; }
  std::optional<std::string> down() const override;
  McpOutcome call_tool(const std::string& tool, const Json& arguments, McpCallOptions options,
                       std::stop_token stop) override;
  std::expected<McpList, McpFailure> list(McpListKind kind, std::stop_token stop) override;
  McpOutcome read_resource(const std::string& uri, std::stop_token stop) override;
  std::expected<void, McpFailure> watch_resource(const std::string& uri, bool watch, std::stop_token stop) override;
  // Which of the watched resources have changed since the last time; each once.
  std::vector<std::string> take_changed_resources();
  McpOutcome get_prompt(const std::string& prompt, const JsonObject& arguments, std::stop_token stop);
  // The prompts of the server, as of its last word; asked for when it starts.
  std::vector<Json> prompts() const;
  std::string last_words() const;

 private:
  // The server as its tools know it: they may outlive it.
  class Tools;

  void run(const std::stop_token& stop);
  bool live_once(const std::stop_token& stop);  // false: of no use to try again
  // Publishes them, unless they are the same as before and not the first ones of this life.
  void refresh_tools(McpClient& client, bool is_first, const std::stop_token& stop);
  std::vector<std::shared_ptr<Tool>> make_tools(const McpList& list, std::vector<std::string>& problems);
  void resource_updated(const std::string& uri);
  void set_state(McpState state, std::string detail);
  std::expected<std::shared_ptr<McpClient>, McpFailure> client() const;

  const Clock& clock_;
  const McpConnectionOptions options_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  McpStatus status_;                   // this and all below under mutex_
  std::shared_ptr<McpClient> client_;  // while it is ready
  std::vector<Json> prompts_;
  std::set<std::string> watched_;            // resources; told to every new life of the server
  std::set<std::string> changed_resources_;  // of those, since they were last taken
  std::string listed_;                       // what the tools were made of that were published last
  bool tools_changed_ = false;
  bool is_gone_ = false;
  std::string gone_because_;
  bool is_wanted_now_ = false;  // reconnect()
  bool is_settled_ = false;
  std::jthread thread_;
};

}  // namespace deft
