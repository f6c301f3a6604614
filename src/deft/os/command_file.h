#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "deft/base/result.h"
#include "deft/os/processes.h"

// A command on its way to the warden.

namespace deft {

std::uint64_t millis_of(Duration duration);  // rounded up; not negative

// Empty if it is not there.
std::string_view value_of(std::string_view name, std::span<const std::string> environment);

// The absolute path of the program that `name` means. A name with a slash must be absolute already; others are looked
// up in the PATH of `environment`, whose relative entries are passed over.
Result<std::string> find_program(std::string_view name, std::span<const std::string> environment);

// The bytes that the warden reads (warden/protocol.h). `program` is an absolute path; argv[0] stays what the caller
// said.
Result<std::string> encode_command(const Command& command, std::string_view program, std::optional<Duration> timeout);

}  // namespace deft
