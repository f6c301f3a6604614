#pragma once

namespace deft {

// deft trace: a session as a picture.
int run_trace(int argc, const char* const* argv);

}  // namespace deft
