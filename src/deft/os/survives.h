#pragma once

#include <cstdint>

namespace deft {

// What is written must not be lost when this ends: the process alone, or with it the machine's power. The latter waits
// for the disk, some milliseconds each time.
enum class Survives : std::uint8_t { killed, power_cut };

}  // namespace deft
