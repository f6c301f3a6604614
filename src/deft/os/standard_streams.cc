#include "deft/os/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include "deft/base/check.h"

namespace deft {

void open_missing_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free number is given: in this order, the missing one.
    DEFT_CHECK(::open("/dev/null", O_RDWR) == descriptor);
  }
}

}  // namespace deft
