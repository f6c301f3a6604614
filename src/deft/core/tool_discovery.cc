#include "deft/core/tool_discovery.h"

#include <algorithm>
#include <charconv>

namespace deft {

Result<Deferral> parse_deferral(std::string_view wanted, std::size_t context_tokens, bool by_reference) {
  Deferral deferral{.when = Deferral::When::when_many, .by_reference = by_reference};
  std::size_t percent = kDefinitionsPercentMax;
  constexpr std::string_view kAutoPercent = "auto:";
  if (wanted == "true" || wanted == "1") deferral.when = Deferral::When::always;
  if (wanted == "false" || wanted == "0") deferral.when = Deferral::When::never;
  if (wanted.starts_with(kAutoPercent)) {
    const std::string_view number = wanted.substr(kAutoPercent.size());
    const char* end = number.data() + number.size();
    const auto read = std::from_chars(number.data(), end, percent);
    if (read.ec != std::errc() || read.ptr != end || percent > 100) {
      return fail(Errc::invalid_input,
                  "ENABLE_TOOL_SEARCH=auto:N needs a number from 0 to 100: percent of the context");
    }
  } else if (!wanted.empty() && wanted != "auto" && wanted != "true" && wanted != "1" && wanted != "false" &&
             wanted != "0") {
    return fail(Errc::invalid_input, "ENABLE_TOOL_SEARCH is true, false, auto or auto:N");
  }
  deferral.characters_max = context_tokens * kCharactersPerToken * percent / 100;
  return deferral;
}

bool ToolDiscovery::has_loaded(std::string_view name) const { return std::ranges::find(loaded, name) != loaded.end(); }

void ToolDiscovery::apply(const ToolsLoaded& more) {
  for (const std::string& name : more.names) {
    if (!has_loaded(name)) loaded.push_back(name);
  }
}

void ToolDiscovery::forget_context() {
  listed = loaded.size();
  announced.clear();
}

}  // namespace deft
