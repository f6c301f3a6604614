#pragma once

namespace deft {

// deft hooks: list them, and try them out.
int run_hooks_command(int argc, const char* const* argv);

}  // namespace deft
