#pragma once

#include <cstdint>

namespace deft {

// How far local time is ahead of UTC at a moment (seconds since 1970), in seconds: the system's time zone, or TZ.
std::int64_t local_utc_offset(std::int64_t utc_seconds);

}  // namespace deft
