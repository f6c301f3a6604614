#pragma once

#include <cstdio>
#include <cstdlib>

// A broken invariant of our own ends the process, in release too: going on would be guessing.
// Whatever the world can cause is an Error (result.h), never a check.
#define DEFT_CHECK(condition)                                                                       \
  do {                                                                                              \
    if (!(condition)) [[unlikely]] {                                                                \
      std::fprintf(stderr, "deft: broken invariant: %s (%s:%d)\n", #condition, __FILE__, __LINE__); \
      std::abort();                                                                                 \
    }                                                                                               \
  } while (false)
