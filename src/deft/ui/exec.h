#pragma once

namespace deft {

// `deft exec …`: argv[0] is "exec". Returns the exit code.
int run_exec(int argc, const char* const* argv);

}  // namespace deft
