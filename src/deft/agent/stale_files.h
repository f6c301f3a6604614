#pragma once

#include "deft/core/footprint.h"
#include "deft/core/session_state.h"
#include "deft/core/tool_result.h"
#include "deft/os/files.h"

namespace deft {

// After a call that may have changed something: files that the model has read before and that are not what it saw any
// more. The result gets a note that names them, its details a `staleReadFileStateHint` if `in_details`, and the session
// remembers that the model was told. What the call itself has written counts as seen as it wrote it: hooks may have
// changed it since.
void note_stale_files(const Footprint& footprint, const SessionView& session, Files& files, bool in_details,
                      ToolResult& result);

}  // namespace deft
