#pragma once

namespace deft {

// deft undo: takes back what file tools have changed in a session. Exit code 0: all of it was; 1: some of it could not
// be, or the user said no; 2: the command line is wrong, or there is nothing to undo.
int run_undo(int argc, const char* const* argv);

}  // namespace deft
