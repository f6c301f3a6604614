#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "deft/tools/tool.h"
#include "deft/tools/web_page.h"

namespace deft {

inline constexpr std::size_t kWebSearchesMax = 200;  // of one session
inline constexpr std::size_t kWebSearchHitsMax = 10;

struct WebHit {
  std::string title;
  std::string url;
  std::string snippet = {};
};
struct WebSearchQuery {
  std::string query;
  std::vector<std::string> allowed_domains = {};
  std::vector<std::string> blocked_domains = {};
};
// What the model API's own search has found, and what a model says of it.
struct ModelSearch {
  std::vector<WebHit> hits;
  std::string summary;
  std::size_t searches = 0;
};
using SearchByModel = std::function<Result<ModelSearch>(const WebSearchQuery&, std::stop_token)>;

struct WebSearchOptions {
  std::string provider = {};         // "searxng", "brave" or "model"; empty: there is no search, and no tool for it
  std::string url = {};              // of the provider
  std::string key = {};              // secret; "brave" needs it
  SearchByModel by_model = nullptr;  // "model" needs it; without it there is no tool
};

// Nothing without a provider, or without what it needs.
std::shared_ptr<Tool> make_web_search_tool(WebOptions web, WebSearchOptions options);

}  // namespace deft
