#pragma once

namespace deft {

// Opens /dev/null where a parent has closed descriptor 0, 1 or 2. Otherwise the first file that we open gets that
// number, and what is meant for a reader is written into a journal. The first thing a program of ours does.
void open_missing_standard_streams();

// The exit code of a program that has said everything, to which `exit_code` belongs: one that could not write all of it
// to standard output (a full disk) complains, and has not succeeded.
int exit_code_when_written(int exit_code);
// Of an output that failed with this errno, 0 if it did not. A reader that has gone is no failure: it wanted no more.
bool is_output_lost(int error_number);
void complain_of_lost_output(int error_number);

}  // namespace deft
