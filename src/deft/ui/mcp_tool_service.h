#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "deft/mcp/service.h"
#include "deft/tools/registry.h"
#include "deft/ui/mcp_hand.h"

namespace deft {

inline constexpr std::size_t kMcpHandsMax = 200;
inline constexpr std::size_t kMcpStoredReadBytesMax = std::size_t{8} << 20;

// deft's tools, offered to MCP clients. Each session has its own hand (engine); requests without a session share one.
class McpToolService final : public McpService {
 public:
  struct Options {
    EngineOptions engine;  // of each hand; its workshop outlives the service
    // The tools of a hand: made for it, because some of them keep what belongs to their session.
    std::function<std::vector<std::shared_ptr<Tool>>(Engine&)> make_tools;
    std::vector<std::string> left_out = {};  // tools that make no sense to a client
    bool asks_client = false;
    const Clock& clock;
    std::string instructions = {};
    std::function<void(const std::string&)> notice = nullptr;
    std::function<void(const McpChange&)> announce = nullptr;
  };
  static Result<std::unique_ptr<McpToolService>> make(Options options);
  ~McpToolService() override;

  McpServerFace face(McpEra era) const override;
  void handle(std::shared_ptr<McpServed> request) override;
  std::optional<Json> input_schema(std::string_view tool) const override;
  void session_ended(const std::string& session) override;

  // Tools of others, all of a group at once; in every session, from its next call on. From any thread.
  void set_group(const std::string& group, const std::vector<std::shared_ptr<Tool>>& tools);
  // Tools of others are still to come: until complete(), whoever lists tools or calls one that is not known waits. Many
  // clients list once, and never again.
  void expect_more();
  void complete();
  // Stops all calls. True: a thread of one never came back, and the process must leave with _exit.
  bool end();

 private:
  explicit McpToolService(Options options) : options_(std::move(options)), answers_(options_.clock) {}
  std::shared_ptr<McpHand> hand_for(const McpRequester& caller, std::string& problem);
  Result<std::unique_ptr<McpHand>> open_hand(const McpRequester& caller);
  std::shared_ptr<const ToolPool> pool() const;
  bool holds_back(const std::shared_ptr<McpServed>& request);
  bool is_left_out(std::string_view tool) const;
  JsonObject definition(const RegisteredTool& entry) const;
  void list_tools(McpServed& request) const;
  void call_tool(const std::shared_ptr<McpServed>& request);
  void list_resources(McpServed& request);
  void read_resource(const std::shared_ptr<McpServed>& request);
  std::shared_ptr<McpHand> known_hand(const McpRequester& caller);

  const Options options_;
  McpAnswers answers_;
  mutable std::mutex mutex_;
  // All under mutex_.
  std::map<std::string, std::shared_ptr<McpHand>> hands_;  // by session; "" is for requests without one
  std::vector<std::shared_ptr<McpHand>> leaving_;          // that still end
  bool is_first_ = true;                                   // its tools are those that are listed
  mutable ToolRegistry registry_;                          // what is listed
  std::shared_ptr<const Permissions> permissions_;
  std::vector<std::pair<std::string, std::vector<std::shared_ptr<Tool>>>> groups_;
  bool expects_more_ = false;
  std::vector<std::shared_ptr<McpServed>> held_back_;
  bool ending_ = false;
  std::vector<std::shared_ptr<McpHand>> stuck_;  // kept for ever
};

}  // namespace deft
