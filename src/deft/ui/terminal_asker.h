#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <variant>

#include "deft/agent/prompt_queue.h"
#include "deft/os/unique_fd.h"
#include "deft/ui/permission_dialog.h"
#include "deft/ui/server_dialog.h"

namespace deft {

// Asks the person at the terminal what waits in the prompt queue, one after another, on a thread of its own. What was
// typed before a question stood there does not answer it. A question that is withdrawn disappears, also while it is
// being answered; one that has changed is shown anew.
class TerminalAsker final : private Frontend {
 public:
  // The terminal that this process belongs to, whatever its standard streams are.
  static Result<UniqueFd> open_terminal();

  // `directory`: from where commands are seen. `gone`: the person has left the terminal.
  TerminalAsker(UniqueFd terminal, std::string directory, PromptQueue& prompts, std::function<void()> gone);
  ~TerminalAsker() override;
  TerminalAsker(const TerminalAsker&) = delete;
  TerminalAsker& operator=(const TerminalAsker&) = delete;

 private:
  using Dialog = std::variant<PermissionDialog, ServerDialog>;
  enum class Heard : std::uint8_t { line, changed, over };

  void show(Event event) override;  // of the queue
  void serve();
  void wake_up() const;
  bool is_closing();
  bool has_changed(const std::string& id);
  Dialog dialog_for(PendingPrompt prompt) const;
  void converse(PendingPrompt prompt);
  Heard read_line(const std::string& id, std::string& line);
  void write(std::string_view text) const;

  const UniqueFd terminal_;
  const std::string directory_;
  PromptQueue& prompts_;
  const std::function<void()> gone_;
  UniqueFd woken_;  // readable when the queue has changed, or at the end
  std::mutex mutex_;
  // Under mutex_:
  std::unordered_set<std::string> changed_;  // ids
  bool closing_ = false;
  // Of the serving thread alone:
  std::string unread_;
  std::unordered_set<std::string> answered_;  // what their owners may not have taken out of the queue yet
  std::thread thread_;                        // last: it uses all of the above
};

}  // namespace deft
