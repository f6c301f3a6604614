#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/core/result_limits.h"

namespace deft {

inline constexpr std::size_t kPreviewBytesMax = 2'000;

// Parts of a text: each cut at a line end if there is one in its outer half, and never inside a character.
struct Preview {
  std::string_view start;
  std::string_view end;
};
Preview preview_of(std::string_view text, KeptPart kept, std::size_t bytes_max);

// What the model is given in the place of a result that was stored away.
struct PersistedOutput {
  std::uint64_t bytes = 0;            // of all of it
  std::string where;                  // "Full output saved to: /…", or why not
  KeptPart kept = KeptPart::start;    // what the preview shows
  std::size_t preview_bytes_max = 0;  // 0: there is none
  Preview preview = {};
  std::uint64_t characters_left_out = 0;  // told where the end is shown
};
std::string persisted_block(const PersistedOutput& output);

// Counts fast: exact for valid UTF-8.
std::uint64_t count_lead_bytes(std::string_view text);

}  // namespace deft
