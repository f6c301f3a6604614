#include "deft/os/local_time.h"

#include <ctime>
#include <mutex>

namespace deft {

std::int64_t local_utc_offset(std::int64_t utc_seconds) {
  static std::once_flag once;
  std::call_once(once, [] { ::tzset(); });  // localtime_r need not do it
  const auto time = static_cast<std::time_t>(utc_seconds);
  std::tm local{};
  if (!::localtime_r(&time, &local)) return 0;
  return local.tm_gmtoff;
}

}  // namespace deft
