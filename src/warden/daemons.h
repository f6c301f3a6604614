#pragma once

#include <sys/types.h>

#include <cstddef>

#include "warden/descendants.h"

namespace warden {

inline constexpr std::size_t kDaemonsKeptMax = 64;  // the others are ended

// A pattern with a * means a whole command line, its arguments separated by spaces, of which the first few thousand
// bytes count. One without is the name of a program: what it was started as, what it calls itself, or its file's.
bool is_daemon(pid_t pid, char* const* patterns);

// Of the processes that were found, those that are such daemons, without those below them: they stay with them.
std::size_t find_daemons(const Descendants& found, char* const* patterns, pid_t (&daemons)[kDaemonsKeptMax]);

}  // namespace warden
