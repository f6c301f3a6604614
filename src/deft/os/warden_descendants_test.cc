// The warden's search for processes, which is no part of the library: compiled into this test.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <thread>

#include "deft/testing/real_processes.h"
#include "warden/descendants.cc"
#include "warden/system.cc"

namespace warden {
namespace {

using deft::testing::eventually;
using deft::testing::is_alive;

constexpr std::int64_t kPatienceMillis = 60'000;  // far beyond what it needs, also where others have much to do

Descendants by_children_files(Listing::children_files);  // too large for a stack
Descendants by_whole_proc(Listing::whole_proc);

class DescendantsTest : public ::testing::TestWithParam<Listing> {
 protected:
  static Descendants& descendants() {
    return GetParam() == Listing::children_files ? by_children_files : by_whole_proc;
  }
  // Runs `work` as a supervisor would run: in a process of its own that inherits orphans. True: it returned true.
  static bool in_subreaper(const std::function<bool()>& work) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_CHILD_SUBREAPER, 1);
      ::_exit(work() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  static pid_t fork_and(const std::function<void()>& work) {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    work();
    for (;;) ::pause();
  }
  static bool end_all() {
    return eventually([] {
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      descendants().sweep(nullptr, 0, now_millis() + kPatienceMillis);
      return descendants().count() == 0;
    });
  }
};

TEST_P(DescendantsTest, FindsGrandchildrenOrphansAndOtherSessions) {
  EXPECT_TRUE(in_subreaper([] {
    fork_and([] {
      fork_and([] { ::setsid(); });
      fork_and([] {
        fork_and([] {});
        ::_exit(0);  // an orphan is left
      });
    });
    const auto all_are_there = [] {
      descendants().find(nullptr, 0);
      return descendants().alive_count() == 3;
    };
    return eventually(all_are_there) && end_all();
  }));
}

TEST_P(DescendantsTest, FindsWhatAThreadHasForked) {
  EXPECT_TRUE(in_subreaper([] {
    fork_and([] {
      std::thread([] { fork_and([] {}); }).join();
      ::pause();
    });
    fork_and([] {
      std::thread([] {
        fork_and([] {});
        ::pause();
      }).join();
    });
    const auto all_are_there = [] {
      descendants().find(nullptr, 0);
      return descendants().alive_count() == 4;
    };
    return eventually(all_are_there) && end_all();
  }));
}

TEST_P(DescendantsTest, ASparedChildAndItsOwnAreLeftAlone) {
  EXPECT_TRUE(in_subreaper([] {
    const pid_t spared = fork_and([] { fork_and([] {}); });
    const pid_t other = fork_and([] { fork_and([] {}); });
    const auto all_are_there = [] {
      descendants().find(nullptr, 0);
      return descendants().alive_count() == 4;
    };
    if (!eventually(all_are_there)) return false;
    descendants().sweep(&spared, 1, now_millis() + kPatienceMillis);
    const bool only_the_others_ended = descendants().count() == 2 && eventually([&] { return !is_alive(other); });
    return only_the_others_ended && is_alive(spared) && end_all();
  }));
}

TEST_P(DescendantsTest, NamesAtMostAFewButCountsAll) {
  EXPECT_TRUE(in_subreaper([] {
    constexpr std::uint32_t kCount = 40;
    for (std::uint32_t i = 0; i < kCount; ++i) fork_and([] {});
    Report report;
    descendants().sweep(nullptr, 0, now_millis() + kPatienceMillis, &report);
    return report.leftover_count == kCount && report.named_count == kLeftoversNamedMax && report.named[0].pid > 0 &&
           report.named[0].name[0] != '\0' && end_all();
  }));
}

INSTANTIATE_TEST_SUITE_P(Listings, DescendantsTest, ::testing::Values(Listing::children_files, Listing::whole_proc),
                         [](const auto& test) {
                           return test.param == Listing::children_files ? "ChildrenFiles" : "WholeProc";
                         });

}  // namespace
}  // namespace warden
