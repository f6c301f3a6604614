#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deft/tools/background_tasks.h"
#include "deft/tools/bash_commands.h"
#include "deft/tools/tool.h"
#include "deft/tools/web_page.h"

namespace deft {

inline constexpr std::int64_t kMonitorTimeoutMsDefault = 300'000;
inline constexpr std::int64_t kMonitorTimeoutMsMax = 1'800'000;

// Something that a monitored command has printed or a WebSocket has said, or its end.
struct MonitorEvent {
  std::string task_id;
  std::string description;
  std::vector<std::string> lines;                   // of standard output, of texts
  std::size_t left_out = 0;                         // earlier ones; TaskOutput shows them
  std::optional<std::string> ended = std::nullopt;  // how: "completed", "failed (exit code 2)"

  // For the model.
  std::string text() const;
};
// Called on a thread of the monitor's own, one event at a time; must not wait.
using MonitorSink = std::function<void(const MonitorEvent&)>;

struct MonitorOptions {
  MonitorSink sink = nullptr;  // nothing: nobody would tell the model, and there is no Monitor
  bool turns_follow = true;    // false: the session ends with the turn under way, and the command with it
};

// Runs a command in the background and tells of each line that it prints, throttled (core/line_throttle.h). It is
// judged, allowed and started as a command of Bash is, and ends with the session. Or listens to a WebSocket, which is
// judged and dialled as a page of WebFetch is.
std::shared_ptr<Tool> make_monitor_tool(std::shared_ptr<BashCommands> commands, std::shared_ptr<BackgroundTasks> tasks,
                                        MonitorOptions options, WebOptions web = {});

}  // namespace deft
