#pragma once

#include <grp.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "deft/base/check.h"

namespace deft {

// Runs `body` in a child of the test, without the powers of root if we are root; true if it returned true.
inline bool in_child_as_plain_user(const std::function<bool()>& body) {
  constexpr uid_t kNobody = 65534;
  const pid_t child = ::fork();
  DEFT_CHECK(child >= 0);
  if (child == 0) {
    if (::geteuid() == 0) {
      DEFT_CHECK(::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0);
    }
    ::_exit(body() ? 0 : 1);
  }
  int status = 0;
  DEFT_CHECK(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace deft
