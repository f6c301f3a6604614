#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "deft/agent/engine.h"
#include "deft/mcp/service.h"
#include "deft/ui/mcp_answers.h"

namespace deft {

// What was stored away of a result that is too long to be sent.
struct StoredOutput {
  std::string uri;
  std::string path;
  std::string tool;
  std::uint64_t bytes = 0;
};

// The calls of one MCP client, carried out: an engine of its own, in the workshop that all clients share, and the
// thread that runs it. Every call passes the gate; those that have nothing to do with each other run side by side, and
// each is answered when it has finished. Used from any thread.
class McpHand final : private Frontend {
 public:
  struct Options {
    EngineOptions engine;
    std::function<Result<void>(Engine&)> equip;  // adds the tools
    // What needs permission is asked by elicitation: in a session by a request, else by an answer that asks for more.
    bool asks_client = false;
    McpAnswers* answers = nullptr;  // to questions of the second kind; outlives the hand
    std::function<void(const std::string&)> notice = nullptr;
    std::function<void()> stored = nullptr;  // something was stored away
  };
  static Result<std::unique_ptr<McpHand>> open(Options options);
  ~McpHand() override;
  McpHand(const McpHand&) = delete;
  McpHand& operator=(const McpHand&) = delete;

  // `answered`: a question about this very call that was asked before, and what the client said to it.
  void call(std::shared_ptr<McpServed> request, std::string tool, Json arguments,
            std::optional<McpAnswered> answered = std::nullopt);
  // Reads a resource that a server's result has named to this client. False: none has, or more than one server.
  bool read_resource(std::shared_ptr<McpServed> request, const std::string& uri);
  void feed(Feed item) { engine_->feed(std::move(item)); }
  // Stops everything. Returns at once; has_ended() when it is done.
  void end();
  void wait();  // until it is
  bool has_ended() const { return ended_; }
  bool is_stuck() const { return stuck_; }  // a thread of it never came back: the process must leave with _exit

  std::vector<StoredOutput> stored() const;

 private:
  struct Pending {
    std::shared_ptr<McpServed> request;
    std::unique_ptr<std::stop_callback<std::function<void()>>> stop = {};
    std::size_t progress = 0;
    std::optional<McpAnswered> answered = {};
    std::optional<std::string> resource = {};  // it is this one's reading, not a tool's call
  };

  explicit McpHand(Options options) : options_(std::move(options)) {}
  void begin(ToolCall call, Pending pending);
  void show(Event event) override;
  void show_progress(const CallProgressed& progressed);
  void answer(CallAnswered answered);
  static void answer_read(McpServed& request, const std::string& uri, const ToolResult& result);
  void remember_resources(const McpContent& content);
  static void log(McpServed& request, const CallAnswered& answered);
  void ask(const PermissionAsked& asked);
  void deny(const PermissionAsked& asked, std::string why);
  void ask_in_session(const PermissionAsked& asked, McpServed& request, const std::string& message);
  void ask_by_answer(const PermissionAsked& asked, McpServed& request, const std::string& message);
  JsonObject result_json(CallAnswered& answered);

  Options options_;
  std::unique_ptr<Engine> engine_;
  mutable std::mutex mutex_;
  // All under mutex_.
  std::map<std::string, Pending> pending_;  // by call id
  std::size_t calls_made_ = 0;
  std::size_t calls_in_message_ = 0;
  std::vector<StoredOutput> stored_;
  std::map<std::string, std::optional<std::string>> named_resources_;  // whose; nothing: of more than one server

  std::atomic<bool> ended_ = false;
  std::atomic<bool> stuck_ = false;
  std::thread thread_;
};

}  // namespace deft
