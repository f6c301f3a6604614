#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/ui/agent_session.h"
#include "deft/ui/control_port.h"
#include "deft/ui/headless_output.h"
#include "deft/ui/host_line.h"
#include "deft/ui/host_work.h"

namespace deft {

inline constexpr std::size_t kHostFileBytesDefault = std::size_t{1} << 20;  // read_file
inline constexpr std::size_t kHostFileBytesMax = std::size_t{10} << 20;
inline constexpr std::size_t kHostToolPoliciesMax = 1'000;   // of one server
inline constexpr std::size_t kTaskOutputBytesMax = 8 << 10;  // get_task_output

// What a host may ask of a session by control requests, one function for each; a table says when it is answered. The
// few that are about the queue of turns are the HeadlessHost's own.
class HostRequests {
 public:
  struct Parts {
    AgentSession& session;
    HeadlessOutput& output;
    ControlPort& port;
    bool host_decides = false;  // it is asked about calls
  };
  explicit HostRequests(Parts parts) : parts_(parts), work_(parts.port) {}

  enum class When : std::uint8_t {
    at_once,        // on the thread that read it
    in_turn,        // on the turn's thread, also while a turn is under way
    between_turns,  // it changes what a turn is made of
  };
  static std::optional<When> when(std::string_view subtype);  // nothing: there is no such request
  // Why one that is known elsewhere is not answered here.
  static std::string refusal(std::string_view subtype);

  void carry_out(const HostRequest& request);
  bool is_initialized() const { return is_initialized_; }
  // A host begins anew: what its functions were asked before is lost, and their names may mean others by now.
  void forget_hooks();
  // A host that comes back while a turn is under way: perhaps the turn waits for what the host has lost meanwhile, so
  // it is answered at once. Its hooks count from now on; what the turn is made of stays as it is.
  void initialize_again(const HostRequest& request);
  // The host does not want an answer any more.
  void cancel(const std::string& id) { work_.cancel(id); }
  void stop() { work_.stop(); }  // what is under way ends

 private:
  using Answer = Result<JsonObject>;
  struct Entry;
  static const Entry* find_entry(std::string_view subtype);

  Answer initialize(const Json& wanted);
  Answer set_model(const Json& wanted);
  Answer set_thinking(const Json& wanted);
  Answer apply_settings(const Json& wanted);
  Answer get_settings(const Json& wanted);
  Answer list_rules(const Json& wanted);
  Answer rename(const Json& wanted);
  Answer context_usage(const Json& wanted);
  Answer session_cost(const Json& wanted);
  Answer usage(const Json& wanted);
  Answer version(const Json& wanted);
  Answer list_models(const Json& wanted);
  Answer update_settings(const Json& wanted);
  Answer hooks_listing(const Json& wanted);  // host_hooks_listing.cc
  Answer reload_skills(const Json& wanted);
  Answer reload_plugins(const Json& wanted);
  Answer reload_styles(const Json& wanted);
  Answer nothing_to_do(const Json& wanted);
  // host_file_requests.cc
  Answer rewind_files(const Json& wanted);
  Answer read_file(const Json& wanted);
  Answer seed_read_state(const Json& wanted);
  Answer register_root(const Json& wanted);
  // host_task_requests.cc
  Answer stop_task(const Json& wanted);
  Answer background_tasks(const Json& wanted);
  Answer task_output(const Json& wanted);
  // host_mcp_requests.cc
  Answer mcp_status(const Json& wanted);
  Answer mcp_set_servers(const Json& wanted);
  Answer mcp_reconnect(const Json& wanted);
  Answer mcp_toggle(const Json& wanted);
  Answer mcp_message(const Json& wanted);
  Answer mcp_set_mode(const Json& wanted);
  void note_policies(const JsonObject& servers, bool replaces);
  void mcp_read_resource(const HostRequest& request);
  void mcp_call(const HostRequest& request);

  void use_hooks(const Json& wanted);
  JsonObject beginning(const Json& wanted) const;
  JsonArray commands() const;
  JsonArray agents() const;
  JsonArray models() const;

  Parts parts_;
  HostWork work_;
  std::atomic<bool> is_initialized_ = false;
  struct ServerPolicy {
    std::vector<std::string> denied, asked;  // rules
  };
  std::map<std::string, ServerPolicy> policies_;  // by server; of the turn's thread
  JsonObject named_servers_;  // those that the first `initialize` brought along; of the turn's thread
};

}  // namespace deft
