#pragma once

namespace deft {

// Opens /dev/null where a parent has closed descriptor 0, 1 or 2. Otherwise the first file that we open gets that
// number, and what is meant for a reader is written into a journal. The first thing a program of ours does.
void open_missing_standard_streams();

}  // namespace deft
