#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "deft/agent/event.h"
#include "deft/ui/agent_session.h"
#include "deft/ui/control_port.h"
#include "deft/ui/headless_output.h"
#include "deft/ui/host_line.h"
#include "deft/ui/host_requests.h"

namespace deft {

inline constexpr std::size_t kQueuedTurnsMax = 10'000;
inline constexpr std::size_t kOfferedPromptsMax = 64;  // to the turn under way, at once
inline constexpr std::size_t kMessagesOfTurnMax = 64;  // named in its result

// The host of `deft -p --input-format stream-json`: its messages become turns, one after another, or are heard in the
// turn under way; its control requests are answered; and it is asked for permissions, if it wants to be. Lines come on
// the reader's thread, turns are run on the main one.
class HeadlessHost final : public Frontend, public WaitingPrompts {
 public:
  struct Parts {
    AgentSession& session;
    HeadlessOutput& output;
    ControlPort& port;
    bool decides = false;           // questions go to it
    bool replays_messages = false;  // it wants to see its own, when they are given
  };
  explicit HeadlessHost(Parts parts)
      : parts_(parts), requests_({parts.session, parts.output, parts.port, parts.decides}) {}

  // On the reader's thread.
  void take_bytes(std::string_view bytes);
  void end_input();
  // From any thread: a turn of our own, after those that wait: something that was scheduled, or happened, is due.
  void add_turn(std::string_view prompt);
  // From any thread: no further turn begins, as if the input had ended.
  void close();
  // Before the session ends: what it is still asked for has no answer any more.
  void stop_work() { requests_.stop(); }

  // On the main thread. Waits, and does meanwhile what the host wants done between turns. Nothing: it wants no more.
  std::optional<HostMessage> next_turn();
  void end_turn();  // it is over, though its result is not told yet: what comes from now on is for the next
  std::size_t queued_turns();
  std::vector<std::string> messages_of_turn();  // of the last one: their uuids, of those that had one
  std::vector<Prompt> offered() override;
  bool take(const std::string& uuid) override;

  void show(Event event) override;  // questions

 private:
  using Work = std::move_only_function<void()>;
  using Queued = std::variant<HostMessage, Work>;
  void take_line(Result<std::string_view> line);
  void take(HostMessage message);
  void take(const HostRequest& request);
  void take(HostResponse response);

  std::deque<Queued>::iterator next_due();
  static bool asks_model(const Queued& item);
  std::size_t count_asking() const;
  bool has_turn();
  void begin_turn_of(const HostMessage& message);
  void note_of_turn(const HostMessage& message);
  void replay(const HostMessage& message);

  // Those that change what a turn is made of wait until none is under way.
  void between_turns(Work work);
  void on_turn_thread(Work work);
  void interrupt(const HostRequest& request);
  void set_permission_mode(const HostRequest& request);
  void use_mode(Mode mode);
  void cancel_message(const HostRequest& request);

  void tell_mode();
  void ask_permission(const PermissionAsked& asked);
  void withdraw(const std::string& question);

  Parts parts_;
  HostRequests requests_;
  LineSplitter splitter_;          // of the reader's thread
  std::size_t lines_ = 0;          // of the reader's thread
  JsonArray waiting_blocks_;       // of the main thread: what the next message begins with
  Mode told_mode_ = Mode::normal;  // of the main thread: that the host knows of
  std::mutex mutex_;
  std::condition_variable changed_;
  // Under mutex_:
  std::deque<Queued> queue_;  // as they came
  bool in_turn_ = false;
  std::string starting_;            // the message that came when there was nothing to do: its turn begins now
  bool starting_is_ended_ = false;  // by an interrupt that was quicker
  bool turn_is_over_ = false;       // it ends soon, and takes no message any more
  std::vector<std::string> messages_of_turn_;
  bool ended_ = false;
  std::unordered_map<std::string, std::string> questions_;  // names of our requests, by question
};

// What the host says to a question, as the executor takes it. What is not understood is a no.
PermissionAnswer answer_of_host(const std::string& question, Result<Json> reply);
// A question as the host is asked it.
JsonObject can_use_tool(const PermissionAsked& asked);

}  // namespace deft
