#pragma once

namespace deft {

// deft demo: an agent at work, without a network.
int run_demo(int argc, const char* const* argv);

}  // namespace deft
