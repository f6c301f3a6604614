#pragma once

#include <string>

#include "deft/base/result.h"
#include "deft/core/timeline.h"

namespace deft {

// When everything in a session happened, from what its folder keeps: timeline.jsonl, or, in sessions that have none,
// the journal, which knows when calls with effects began and when all of them ended.
Result<Timeline> session_timeline(const std::string& session_folder);

}  // namespace deft
