#include "deft/os/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "deft/base/check.h"

namespace deft {

void open_missing_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free number is given: in this order, the missing one.
    DEFT_CHECK(::open("/dev/null", O_RDWR) == descriptor);
  }
}

int after_printing(int exit_code) {
  const bool was_good = std::ferror(stdout) == 0;
  errno = 0;
  const bool is_written = std::fflush(stdout) == 0;
  if ((was_good && is_written) || errno == EPIPE) return exit_code;
  const std::string why = errno != 0 ? ": " + std::generic_category().message(errno) : "";
  std::fprintf(stderr, "deft: the output could not be written%s\n", why.c_str());
  return exit_code == 0 ? 1 : exit_code;
}

}  // namespace deft
