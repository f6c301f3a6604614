#pragma once

namespace deft {

// deft sessions list|show|export|search|remove.
int run_sessions(int argc, const char* const* argv);

}  // namespace deft
