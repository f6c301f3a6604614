#include "deft/os/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "deft/base/check.h"

namespace deft {
namespace {

constexpr int kExitOutputLost = 1;

}  // namespace

void open_missing_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free number is given: in this order, the missing one.
    DEFT_CHECK(::open("/dev/null", O_RDWR) == descriptor);
  }
}

bool is_output_lost(int error_number) { return error_number != 0 && error_number != EPIPE; }

void complain_of_lost_output(int error_number) {
  std::fprintf(stderr, "deft: standard output cannot be written: %s\n", std::strerror(error_number));
}

int exit_code_when_written(int exit_code) {
  errno = 0;
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  // What failed earlier is not known any more; a disk that was full is the likely reason.
  const int error_number = is_written ? 0 : errno != 0 ? errno : ENOSPC;
  if (!is_output_lost(error_number)) return exit_code;
  complain_of_lost_output(error_number);
  return exit_code == 0 ? kExitOutputLost : exit_code;
}

}  // namespace deft
