#pragma once

#include <memory>
#include <vector>

#include "deft/tools/shared_schedule.h"
#include "deft/tools/tool.h"

namespace deft {

// CronCreate, CronDelete, CronList and ScheduleWakeup, for a session whose owner gives what is due to the model. Where
// nothing is given (SharedSchedule::gives_prompts) only durable prompts can be made, and nobody is woken.
std::vector<std::shared_ptr<Tool>> make_schedule_tools(const std::shared_ptr<SharedSchedule>& schedule);

}  // namespace deft
