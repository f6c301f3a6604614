#include "deft/os/thread_place.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <latch>

namespace deft {
namespace {

cpu_set_t processors_of(pthread_t thread) {
  cpu_set_t set;
  EXPECT_EQ(::pthread_getaffinity_np(thread, sizeof set, &set), 0);
  return set;
}

TEST(ThreadPlace, ASleeperIsKeptOffOneProcessorUntilItSaysOtherwise) {
  std::latch may_wake(1);
  ThreadPlace place;
  cpu_set_t released;
  const cpu_set_t all = processors_of(::pthread_self());
  std::thread sleeper([&] {
    may_wake.wait();
    place.release();
    released = processors_of(::pthread_self());
  });
  place.keep_off_this_processor(sleeper);
  const cpu_set_t kept = processors_of(sleeper.native_handle());
  place.keep_off_this_processor(sleeper);  // what it was allowed is not forgotten
  may_wake.count_down();
  sleeper.join();
  const int count = CPU_COUNT(&all);
  EXPECT_EQ(CPU_COUNT(&kept), count > 1 ? count - 1 : 1);
  EXPECT_TRUE(CPU_EQUAL(&released, &all));
}

TEST(ThreadPlace, AThreadThatNobodyHasMovedStaysAsItIs) {
  const cpu_set_t before = processors_of(::pthread_self());
  ThreadPlace().release();
  const cpu_set_t after = processors_of(::pthread_self());
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

// One that its user has tied to a processor is not moved elsewhere, and not left without one.
TEST(ThreadPlace, ASleeperThatMayUseOneProcessorOnlyKeepsIt) {
  std::latch may_wake(1);
  std::thread sleeper([&] { may_wake.wait(); });
  cpu_set_t one;
  CPU_ZERO(&one);
  const cpu_set_t all = processors_of(::pthread_self());
  for (unsigned i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  }
  ASSERT_EQ(::pthread_setaffinity_np(sleeper.native_handle(), sizeof one, &one), 0);
  ThreadPlace place;
  for (int i = 0; i < 100; ++i) place.keep_off_this_processor(sleeper);
  const cpu_set_t kept = processors_of(sleeper.native_handle());
  EXPECT_TRUE(CPU_EQUAL(&kept, &one));
  may_wake.count_down();
  sleeper.join();
}

}  // namespace
}  // namespace deft
