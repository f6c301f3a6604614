#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/os/command_slots.h"
#include "deft/os/processes.h"
#include "deft/tools/read_only_judge.h"
#include "deft/tools/shell_environment.h"
#include "deft/tools/tool.h"

namespace deft {

inline constexpr std::int64_t kBashTimeoutMsDefault = 120'000;
inline constexpr std::int64_t kBashTimeoutMsMax = 600'000;

struct BashOptions {
  // Calls that are judged to only read: counted as such, and run so that they can do no more. Without the sandbox the
  // judgement alone must be trusted for the first.
  bool read_only_calls = true;
  bool sandbox = true;
  CommandLimits limits{};
  std::vector<std::string> daemons{};  // that a command may leave running until the session ends
  UseProfile profile = UseProfile::if_needed;
  std::int64_t timeout_ms_default = kBashTimeoutMsDefault;
  std::int64_t timeout_ms_max = kBashTimeoutMsMax;
  // Commands that are waited for, of all deft processes of the user; null: nobody counts them.
  std::shared_ptr<const CommandSlots> slots = nullptr;
};

// In the environment of a command that holds a slot: deft within it waits for none.
inline constexpr std::string_view kWithinCommand = "DEFT_WITHIN_COMMAND";

// Until there is room for one more command; the call shows that it waits. To be held as long as the command is waited
// for: what goes on in the background is not counted, or a few servers would be in everybody's way for hours.
Result<CommandSlot> take_command_slot(const BashOptions& options, const ToolIo& io);

// How command lines are judged and started under bash, whichever tool they are for. Any thread may call.
class BashCommands {
 public:
  explicit BashCommands(BashOptions options) : options_(std::move(options)), environment_(options_.profile) {}
  const BashOptions& options() const { return options_; }

  bool is_read_only(std::string_view command, const SessionView& session) const;
  // What it reads; nothing: not all of it is known.
  std::optional<std::vector<std::string>> paths(std::string_view command, const SessionView& session) const {
    return judge_.judge(command, session).paths;
  }
  // It was judged read-only and was refused something: from now on it counts as one that changes things.
  void was_refused(std::string_view command) { judge_.was_refused(command); }
  // What no shell can take.
  static Result<void> check(std::string_view command);

  // In the session's directory; one that was judged read-only so that it can do no more. `writable_file` is the one
  // file that it may write all the same; empty: none.
  struct Start {
    std::string script;
    std::string writable_file = {};
    bool separate_errors = false;
    bool holds_slot = false;
  };
  Result<std::unique_ptr<Child>> start(Start start, const ToolIo& io);

 private:
  bool shows_more_than_it_gets(std::string_view command) const;

  const BashOptions options_;
  mutable ShellEnvironment environment_;
  ReadOnlyJudge judge_;
};

}  // namespace deft
