#pragma once

namespace deft {

// deft config: the settings in force here, and where each value comes from.
int run_config(int argc, const char* const* argv);

}  // namespace deft
