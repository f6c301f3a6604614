#pragma once

namespace deft {

// deft permissions check …
int run_permissions(int argc, const char* const* argv);

}  // namespace deft
