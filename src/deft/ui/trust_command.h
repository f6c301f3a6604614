#pragma once

namespace deft {

// deft trust: which folders may bring allow rules, hooks and servers of their own.
int run_trust(int argc, const char* const* argv);

}  // namespace deft
