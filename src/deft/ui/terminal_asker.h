#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>

#include "deft/os/unique_fd.h"
#include "deft/ui/permission_dialog.h"

namespace deft {

// Asks the person at the terminal, one question after another, on a thread of its own. What was typed before a question
// stood there does not answer it. A question that is withdrawn disappears, also while it is being answered.
class TerminalAsker {
 public:
  // The terminal that this process belongs to, whatever its standard streams are.
  static Result<UniqueFd> open_terminal();

  TerminalAsker(UniqueFd terminal, std::string directory, std::function<void(Feed)> sink);
  ~TerminalAsker();
  TerminalAsker(const TerminalAsker&) = delete;
  TerminalAsker& operator=(const TerminalAsker&) = delete;

  // From any thread; both return at once.
  void ask(PermissionAsked question);
  void withdraw(const std::string& id);

 private:
  void serve();
  void wake_up() const;
  bool is_open(const std::string& id);
  std::optional<PermissionAsked> next_question();
  void converse(PermissionAsked question);
  std::optional<std::string> read_line(const std::string& id);  // nothing: withdrawn, or the end
  void show(std::string_view text) const;

  const UniqueFd terminal_;
  const std::string directory_;
  const std::function<void(Feed)> sink_;
  UniqueFd changed_;  // readable when something below has
  std::mutex mutex_;
  // Under mutex_:
  std::deque<PermissionAsked> queue_;
  std::unordered_set<std::string> open_;  // ids that still want an answer
  bool closing_ = false;
  std::string unread_;  // of the serving thread alone
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace deft
