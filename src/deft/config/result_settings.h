#pragma once

#include <cstdint>
#include <optional>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/result_limits.h"

namespace deft {

inline constexpr std::int64_t kCleanupDaysDefault = 30;

// "results": how much of a call's result the model is shown, and how much is kept. Nothing: deft's own defaults.
struct ResultSettings {
  ResultLimits limits{};                            // "maxChars", "messageMaxChars", "preview", "tools"
  bool refers_to_earlier = true;                    // "dedupe"
  std::optional<std::uint64_t> file_mb{};           // "fileMaxMb": of one result
  std::optional<std::uint64_t> session_mb{};        // "sessionMaxMb": of all results of a session
  std::optional<std::uint64_t> disk_free_mb{};      // "diskFreeMb": stay free on the disk
  std::int64_t cleanup_days = kCleanupDaysDefault;  // "cleanupPeriodDays": sessions are kept so long
};

// From the whole settings object. Strict: a known key with a wrong value is an error that names it.
Result<ResultSettings> parse_result_settings(const Json& settings);

}  // namespace deft
