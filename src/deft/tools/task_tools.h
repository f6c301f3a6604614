#pragma once

#include <cstdint>
#include <memory>

#include "deft/tools/background_tasks.h"
#include "deft/tools/tool.h"

namespace deft {

inline constexpr std::int64_t kTaskWaitMsDefault = 30'000;
inline constexpr std::int64_t kTaskWaitMsMax = 600'000;

std::shared_ptr<Tool> make_task_output_tool(std::shared_ptr<BackgroundTasks> tasks);
std::shared_ptr<Tool> make_task_stop_tool(std::shared_ptr<BackgroundTasks> tasks);

}  // namespace deft
