#pragma once

namespace deft {

// `deft classify COMMAND` and `deft classify --json`: would a command line only read? Nothing is run.
int run_classify(int argc, const char* const* argv);

}  // namespace deft
