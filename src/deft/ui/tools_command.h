#pragma once

namespace deft {

// `deft tools [--json]`: the tools that come with deft.
int run_tools(int argc, const char* const* argv);

}  // namespace deft
