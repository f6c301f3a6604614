#pragma once

#include <memory>
#include <string>

#include "deft/tools/tool.h"
#include "deft/tools/web_page.h"

namespace deft {

inline constexpr std::size_t kWebSearchesMax = 200;  // of one session
inline constexpr std::size_t kWebSearchHitsMax = 10;

struct WebSearchOptions {
  std::string provider = {};  // "searxng" or "brave"; empty: there is no search, and no tool for it
  std::string url = {};       // of the provider
  std::string key = {};       // secret
};

// Nothing without a provider.
std::shared_ptr<Tool> make_web_search_tool(WebOptions web, WebSearchOptions options);

}  // namespace deft
