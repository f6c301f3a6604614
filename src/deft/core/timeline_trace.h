#pragma once

#include <string>

#include "deft/core/timeline.h"

namespace deft {

// As the Trace Event Format that chrome://tracing and ui.perfetto.dev open: a process for each agent, a row for the
// model, and as many rows for calls as run at once; stages stand within their calls.
std::string trace_json(const Timeline& timeline);

}  // namespace deft
