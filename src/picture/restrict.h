#pragma once

namespace picture {

// From here on the process can read and write what is open, take memory and end; any other system call kills it. Where
// the kernel knows no such filters nothing changes. False: the kernel knows them and refused.
bool restrict_self();

}  // namespace picture
