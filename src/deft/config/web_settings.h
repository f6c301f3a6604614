#pragma once

#include <string>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

// "webFetch" and "webSearch".
struct WebSettings {
  std::vector<std::string> private_hosts{};  // "webFetch.privateHosts": hosts of one's own that may be fetched from
  std::string search_provider{};             // "webSearch.provider": "searxng" | "brave"; empty: none
  std::string search_url{};                  // "webSearch.url": of a SearXNG server
};

// From the whole settings object. Strict: a known key with a wrong value is an error that names it.
Result<WebSettings> parse_web_settings(const Json& settings);

}  // namespace deft
