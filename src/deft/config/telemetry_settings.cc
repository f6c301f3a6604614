#include "deft/config/telemetry_settings.h"

#include "deft/config/wrong_setting.h"

namespace deft {

Result<TelemetrySettings> parse_telemetry_settings(const Json& settings) {
  TelemetrySettings telemetry;
  const Json* object = find(settings, "telemetry");
  if (!object) return telemetry;
  if (!object->is_object()) return wrong_setting("telemetry", "an object", *object);
  if (const Json* endpoint = find(*object, "otlpEndpoint")) {
    const std::string_view url = endpoint->is_string() ? view(endpoint->get_string()) : std::string_view();
    if (!url.starts_with("http://") && !url.starts_with("https://")) {
      return wrong_setting("telemetry.otlpEndpoint", "an address that begins with http:// or https://", *endpoint);
    }
    telemetry.otlp_endpoint = url;
  }
  const Json* headers = find(*object, "otlpHeaders");
  if (!headers) return telemetry;
  if (!headers->is_object()) return wrong_setting("telemetry.otlpHeaders", "an object of texts", *headers);
  for (const auto& [name, value] : headers->get_object()) {
    const bool is_header =
        value.is_string() && view(value.get_string()).find_first_of("\r\n") == std::string_view::npos;
    if (!is_header) return wrong_setting("telemetry.otlpHeaders", "an object of texts", *headers);
    telemetry.otlp_headers.emplace_back(std::string(name), view(value.get_string()));
  }
  return telemetry;
}

}  // namespace deft
