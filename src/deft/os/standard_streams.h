#pragma once

namespace deft {

// Opens /dev/null where a parent has closed descriptor 0, 1 or 2. Otherwise the first file that we open gets that
// number, and what is meant for a reader is written into a journal. The first thing a program of ours does.
void open_missing_standard_streams();
// The last thing: what was printed is written. The exit code of a program that ends with `exit_code`: 1 if not all of
// it could be (a full disk), which is said on standard error.
int after_printing(int exit_code);

}  // namespace deft
