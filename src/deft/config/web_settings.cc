#include "deft/config/web_settings.h"

#include "deft/base/url.h"
#include "deft/config/wrong_setting.h"

namespace deft {
namespace {

Result<void> parse_text(const Json& object, std::string_view key, std::string_view full_key, std::string& into) {
  const Json* value = find(object, key);
  if (!value) return {};
  if (!value->is_string()) return wrong_setting(full_key, "a text", *value);
  into = view(value->get_string());
  return {};
}

Result<void> parse_hosts(const Json& fetch, std::vector<std::string>& into) {
  const Json* hosts = find(fetch, "privateHosts");
  if (!hosts) return {};
  if (!hosts->is_array()) return wrong_setting("webFetch.privateHosts", "a list of hosts", *hosts);
  for (const Json& host : hosts->get_array()) {
    if (!host.is_string() || host.get_string().empty()) {
      return wrong_setting("webFetch.privateHosts", "a list of hosts", *hosts);
    }
    into.emplace_back(view(host.get_string()));
  }
  return {};
}

Result<void> parse_search(const Json& search, WebSettings& web) {
  if (auto parsed = parse_text(search, "url", "webSearch.url", web.search_url); !parsed) return parsed;
  if (auto parsed = parse_text(search, "provider", "webSearch.provider", web.search_provider); !parsed) return parsed;
  if (web.search_provider.empty() && !web.search_url.empty()) web.search_provider = "searxng";
  if (!web.search_provider.empty() && web.search_provider != "searxng" && web.search_provider != "brave" &&
      web.search_provider != "model") {
    return wrong_setting("webSearch.provider", "\"searxng\", \"brave\" or \"model\"", *find(search, "provider"));
  }
  if (web.search_provider == "searxng" && web.search_url.empty()) {
    return wrong_setting("webSearch.url", "the address of a SearXNG server", search);
  }
  if (!web.search_url.empty() && !parse_web_url(web.search_url)) {
    return wrong_setting("webSearch.url", "an address that begins with http:// or https://", *find(search, "url"));
  }
  return {};
}

}  // namespace

Result<WebSettings> parse_web_settings(const Json& settings) {
  WebSettings web;
  if (const Json* fetch = find(settings, "webFetch")) {
    if (!fetch->is_object()) return wrong_setting("webFetch", "an object", *fetch);
    if (auto parsed = parse_hosts(*fetch, web.private_hosts); !parsed) return std::unexpected(parsed.error());
  }
  if (const Json* search = find(settings, "webSearch")) {
    if (!search->is_object()) return wrong_setting("webSearch", "an object", *search);
    if (auto parsed = parse_search(*search, web); !parsed) return std::unexpected(parsed.error());
  }
  return web;
}

}  // namespace deft
