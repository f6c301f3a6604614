#pragma once

namespace deft {

// `deft -p`: a prompt is carried out and the answer printed; or, with --input-format stream-json, one after another as
// a host sends them. `argv` as main() has it.
int run_headless(int argc, const char* const* argv);

}  // namespace deft
