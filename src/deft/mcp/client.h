#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "deft/mcp/elicitation.h"
#include "deft/mcp/peer.h"
#include "deft/mcp/transport.h"

namespace deft {

inline constexpr Duration kMcpConnectTimeout = std::chrono::seconds(30);
// How long a program may take to tell whether it speaks the modern era; an older one may not answer at all.
inline constexpr Duration kMcpDiscoverWait = std::chrono::seconds(3);
inline constexpr Duration kMcpCallTimeout = std::chrono::milliseconds(100'000'000);
inline constexpr Duration kMcpRemoteIdleTimeout = std::chrono::minutes(5);
inline constexpr Duration kMcpLocalIdleTimeout = std::chrono::minutes(30);
inline constexpr std::size_t kMcpListPagesMax = 1000;
inline constexpr std::size_t kMcpListItemsMax = 10'000;
inline constexpr std::size_t kMcpListBytesMax = std::size_t{32} << 20;  // of all its pages
inline constexpr std::size_t kMcpCursorBytesMax = std::size_t{64} << 10;
// How long a whole list may take, in times of what one page may.
inline constexpr int kMcpListTimeouts = 4;
// How often a server may ask something in the course of one call.
inline constexpr int kMcpInputRoundsMax = 20;
// How often a server is asked how far a task is: as it wishes, within these; where it has no wish, seldomer and
// seldomer.
inline constexpr Duration kMcpTaskPollMin = std::chrono::milliseconds(50);
inline constexpr Duration kMcpTaskPollMax = std::chrono::seconds(60);
inline constexpr Duration kMcpTaskPollFirst = std::chrono::milliseconds(200);
inline constexpr Duration kMcpTaskPollUnasked = std::chrono::seconds(5);
inline constexpr int kMcpTaskLooksLostMax = 5;  // in a row; then nobody knows what becomes of it
inline constexpr std::size_t kMcpInstructionsBytesMax = 2048;
// Questions to the user that were refused in a row; more are refused unseen until the model calls the server again.
inline constexpr int kMcpRefusedQuestionsMax = 3;

inline constexpr std::string_view kMcpModernVersion = "2026-07-28";
inline constexpr std::string_view kMcpLegacyVersion = "2025-11-25";  // the newest with a handshake

inline constexpr std::string_view kMcpTasksExtension = "io.modelcontextprotocol/tasks";

enum class McpListKind : std::uint8_t { tools, resources, resource_templates, prompts };

// What the two sides know of each other once they are connected.
struct McpServerFacts {
  std::string name{};  // what it calls itself; untrusted
  std::string version{};
  std::string instructions{};  // cut
  std::string protocol{};      // the revision
  bool modern = false;
  bool old_sse = false;  // by the transport of 2024-11-05
  Json capabilities = JsonObject{};

  bool offers(std::string_view capability) const { return find(capabilities, capability) != nullptr; }
};

// Tools may be called as tasks, at the caller's wish: in the handshake's era. Later the server decides.
bool offers_tasks(const McpServerFacts& facts);

// What a server may ask of us and tell us. A function that is not there is not offered to the server.
struct McpHandlers {
  std::function<std::vector<std::string>()> roots{};  // folders, absolute
  // sampling/createMessage with its parameters; asks the user itself.
  std::function<Result<Json>(const Json& params, std::stop_token)> sampling{};
  // {"action":"accept"|"decline"|"cancel","content"?}. Blocks until the user has answered.
  std::function<Result<Json>(const McpElicitation&, std::stop_token)> elicitation{};
  // The rest comes on threads of the transport, and returns soon.
  std::function<void(McpListKind)> list_changed{};
  std::function<void(std::string uri)> resource_updated{};
  std::function<void(std::string level, std::string text)> logged{};
  std::function<void(std::string)> noted{};
  std::function<void(const Error&)> closed{};
};

struct McpClientOptions {
  std::string server{};  // our name for it
  std::string client_name = "deft";
  std::string client_version = DEFT_VERSION;
  Duration connect_timeout = kMcpConnectTimeout;
  Duration call_timeout = kMcpCallTimeout;
  // What the server spoke the last time; empty: unknown. A wrong memory costs one attempt.
  std::string remembered_protocol{};
  // Makes a transport that was not started yet. `old_sse`: of revision 2024-11-05; null where there is none.
  std::function<std::unique_ptr<McpTransport>(bool old_sse)> make_transport{};
};

// For one call.
struct McpCallOptions {
  std::optional<Duration> timeout{};  // nothing: the client's
  std::function<void(Json)> progress{};
  HttpHeaders headers{};
  bool as_task = false;  // the tool only runs as a task of the server
};

// A list of a server, page by page. `cut`: there was more than we take.
struct McpList {
  std::vector<Json> items{};
  bool cut = false;
};

// One MCP server, as its client, in whichever era it speaks: up to 2025-11-25 a session begins with a handshake; in
// 2026-07-28 every request stands for itself, and what the server wants to know comes as an answer that asks for more.
// Methods block and may be called from several threads at once.
class McpClient {
 public:
  McpClient(const Clock& clock, McpClientOptions options, McpHandlers handlers);
  ~McpClient();
  McpClient(const McpClient&) = delete;
  McpClient& operator=(const McpClient&) = delete;

  // Starts the server or reaches it, and finds out what it speaks. Called once; after a failure too the end is close().
  std::expected<void, McpFailure> connect(std::stop_token stop);
  McpServerFacts facts() const;

  std::expected<McpList, McpFailure> list(McpListKind kind, std::stop_token stop);
  McpOutcome call_tool(std::string_view name, const Json& arguments, McpCallOptions options, std::stop_token stop);
  McpOutcome read_resource(std::string_view uri, std::stop_token stop);
  McpOutcome get_prompt(std::string_view name, const JsonObject& arguments, std::stop_token stop);
  // Proposals for an argument of a prompt ("ref/prompt") or of a resource template ("ref/resource").
  McpOutcome complete(const JsonObject& reference, std::string_view argument, std::string_view value,
                      std::stop_token stop);
  // Word of changes of a resource comes by handlers.resource_updated, until unsubscribe().
  std::expected<void, McpFailure> subscribe(std::string_view uri, std::stop_token stop);
  std::expected<void, McpFailure> unsubscribe(std::string_view uri, std::stop_token stop);
  std::expected<void, McpFailure> set_log_level(std::string_view level, std::stop_token stop);
  std::expected<void, McpFailure> ping(std::stop_token stop);
  void roots_changed();

  std::optional<Error> end() const { return peer_->end(); }
  std::string last_words() const;
  void close();

 private:
  std::expected<void, McpFailure> open_transport(bool old_sse, const std::stop_token& stop);
  std::expected<void, McpFailure> discover(const std::stop_token& stop, bool& is_legacy);
  std::expected<void, McpFailure> initialize(const std::stop_token& stop);
  std::expected<void, McpFailure> initialize_or_fall_back(const std::stop_token& stop);
  std::expected<void, McpFailure> begin_anew(std::uint64_t old_session, const std::stop_token& stop);
  void take_facts(const Json& result, std::string protocol, bool modern);

  McpOutcome ask(McpRequest request, const std::stop_token& stop);
  McpOutcome ask_with_input(McpRequest request, const std::stop_token& stop);
  // client_tasks.cc
  McpOutcome call_as_task(McpRequest request, const std::stop_token& stop);
  McpOutcome follow_task(const Json& task, const McpRequest& call, TimePoint deadline, const std::stop_token& stop);
  McpOutcome task_result(const Json& task, const std::string& id, TimePoint deadline, const std::stop_token& stop);
  std::expected<void, McpFailure> answer_task(const Json& task, const std::string& id, std::set<std::string>& answered,
                                              TimePoint deadline, const std::stop_token& stop);
  McpOutcome ask_task(std::string method, const std::string& id, TimePoint deadline, const std::stop_token& stop);
  void cancel_task(const std::string& id);

  bool visit_pages(const McpFailure& failure, const std::stop_token& stop);
  Result<JsonObject> answers_to(const JsonObject& questions, const std::stop_token& stop);
  std::expected<Json, RpcError> answer(const std::string& method, const Json& params, const std::stop_token& stop);
  std::expected<Json, RpcError> answer_elicitation(const Json& params, const std::stop_token& stop);
  std::expected<Json, RpcError> answer_sampling(const Json& params, const std::stop_token& stop);
  bool may_ask_user(const std::stop_token& stop);
  void has_asked_user(bool refused);
  void take_notification(const std::string& method, const Json& params);
  Json capabilities() const;
  Json modern_capabilities() const;
  std::expected<void, McpFailure> ask_about_changes(std::string method, std::string_view uri,
                                                    const std::stop_token& stop);
  void remind(const std::stop_token& stop);
  void add_meta(JsonObject& params) const;
  void listen_for_changes();
  void listen_until(const std::stop_token& stop);
  void note(std::string text) const;

  const Clock& clock_;
  const McpClientOptions options_;
  const McpHandlers handlers_;
  const std::shared_ptr<McpPeer> peer_;

  std::mutex beginning_;  // held while the session begins anew
  mutable std::mutex mutex_;
  std::shared_ptr<McpTransport> transport_;  // this and all below under mutex_
  McpServerFacts facts_;
  std::uint64_t session_number_ = 0;
  std::string log_level_;
  std::vector<std::string> subscriptions_;
  bool is_asking_user_ = false;
  int refused_questions_ = 0;  // in a row
  std::condition_variable_any user_is_free_;
  std::jthread listener_;
};

}  // namespace deft
