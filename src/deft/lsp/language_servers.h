#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deft/config/lsp_settings.h"
#include "deft/lsp/language_server.h"
#include "deft/lsp/server_choice.h"
#include "deft/tools/file_change_observer.h"
#include "deft/tools/shell_environment.h"

namespace deft::lsp {

inline constexpr std::size_t kServersRunningMax = 8;                // the one that was not asked longest is ended then
inline constexpr std::size_t kRestartsMax = 5;                      // of one server, by itself
inline constexpr Duration kRestartPause = std::chrono::seconds(1);  // after the second death; doubled each time
inline constexpr Duration kRestartPauseMax = std::chrono::seconds(60);
inline constexpr Duration kRestartWaitMax = std::chrono::seconds(3);  // that somebody waits for such a pause
// A server that lived so long has not died of what it was started with: its earlier deaths are forgotten.
inline constexpr Duration kLongLife = std::chrono::minutes(10);
// After a change of files, what their servers have to say is waited for so long in all.
inline constexpr Duration kLookTimeMax = std::chrono::milliseconds(1500);
inline constexpr std::size_t kLookedAtMax = 5;
inline constexpr std::size_t kNewErrorsShownMax = 10;
inline constexpr std::size_t kServersFileBytesMax = std::size_t{1} << 20;

struct LanguageServersOptions {
  LspSettings settings{};
  UseProfile profile = UseProfile::if_needed;
  bool can_restrict = false;  // can_run_read_only()
  Duration settle_time = kSettleTime;
};

// The language servers of one session: started when they are first needed, kept, started again when they die (at once
// after the first time, later after a pause, and not for ever), ended with the session. Any thread may call.
//
// A project's own `.lsp.json` counts only where the project is trusted; whether it is, the call's permissions say.
class LanguageServers final : public FileChangeObserver {
 public:
  explicit LanguageServers(LanguageServersOptions options)
      : options_(std::move(options)), environment_(options_.profile) {}
  ~LanguageServers() override;

  // The server for a file, by its canonical path; started if it does not run.
  Result<std::shared_ptr<LanguageServer>> server_for(const std::string& path, ToolIo& io);
  // The same, if it runs.
  std::shared_ptr<LanguageServer> warm_server_for(const std::string& path, ToolIo& io);
  std::vector<std::shared_ptr<LanguageServer>> running() const;

  // New errors in files that were changed, from the servers that run.
  std::string look_at(std::span<const std::string> paths, ToolIo& io) override;

 private:
  struct Slot {
    std::shared_ptr<LanguageServer> server{};
    bool is_starting = false;
    std::size_t deaths = 0;
    std::string last_death{};
    TimePoint started{};
    TimePoint not_before{};
    std::uint64_t last_use = 0;
  };
  struct Configured {
    std::vector<LanguageServerSpec> specs;
    std::optional<Error> problem;  // with the project's file
  };

  Result<ChoiceGround> ground_for(ToolIo& io);
  const Configured& configured(ToolIo& io);
  Result<std::shared_ptr<LanguageServer>> start_in(Slot& slot, ServerStart start, std::unique_lock<std::mutex>& lock,
                                                   ToolIo& io);
  Result<void> wait_for_turn(Slot& slot, const LanguageServerSpec& spec, std::unique_lock<std::mutex>& lock,
                             ToolIo& io);
  std::shared_ptr<LanguageServer> note_death(Slot& slot, const Clock& clock);
  std::vector<std::shared_ptr<LanguageServer>> take_least_used();
  std::string new_errors_in(LanguageServer& server, const std::string& path, ToolIo& io, TimePoint deadline);

  const LanguageServersOptions options_;
  ShellEnvironment environment_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Slot> slots_;  // by name and root; under mutex_, as all below
  std::uint64_t uses_ = 0;
  std::map<bool, Configured> configured_;  // by whether the project is trusted; constant once it is there
};

}  // namespace deft::lsp
