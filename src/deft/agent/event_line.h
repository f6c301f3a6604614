#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "deft/agent/event.h"
#include "deft/base/secret_mask.h"

namespace deft {

inline constexpr std::size_t kEventTextCharactersMax = 2'000;  // of one text in a line; the rest is counted

// An event as a line of JSON without its newline: {"type":"stage","time_ms":…,…}. docs/events.md lists the types.
// Secrets are masked. Pieces of a text that streams in are told by their length alone, and the text when it is whole: a
// secret that comes in two pieces would be seen in neither.
std::string event_line(const Event& event, std::int64_t time_ms, const SecretMask& mask);

}  // namespace deft
