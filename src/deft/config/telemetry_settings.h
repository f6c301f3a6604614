#pragma once

#include <string>
#include <utility>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

// "telemetry": where spans go to. Never of a project's own files: a repository does not choose who is told.
struct TelemetrySettings {
  std::string otlp_endpoint{};                                      // "telemetry.otlpEndpoint"; empty: nobody is told
  std::vector<std::pair<std::string, std::string>> otlp_headers{};  // "telemetry.otlpHeaders"
};

// From the whole settings object. Strict: a known key with a wrong value is an error that names it.
Result<TelemetrySettings> parse_telemetry_settings(const Json& settings);

}  // namespace deft
