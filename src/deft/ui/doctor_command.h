#pragma once

namespace deft {

// `deft doctor`: what this machine lets deft do, and what to do about the rest. Returns the exit code.
int run_doctor(int argc, const char* const* argv);

}  // namespace deft
