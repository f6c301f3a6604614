#include "deft/model/model_endpoint.h"

#include <algorithm>

namespace deft {
namespace {

constexpr std::string_view kVersion = "/v1";

std::string_view without_slashes(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

bool has_path(std::string_view url) {
  const std::size_t scheme = url.find("://");
  return url.find('/', scheme == std::string_view::npos ? 0 : scheme + 3) != std::string_view::npos;
}

struct BaseUrl {
  std::string_view address;
  std::string_view query;  // with its question mark: some servers want their version there
};
BaseUrl split(std::string_view url) {
  const std::size_t query = std::min(url.find('?'), url.size());
  return {without_slashes(url.substr(0, query)), url.substr(query)};
}

std::string joined(const BaseUrl& base, bool needs_version, std::string_view path) {
  return std::string(base.address) + std::string(needs_version ? kVersion : "") + std::string(path) +
         std::string(base.query);
}

// Some are given the whole address of the one thing that they know.
BaseUrl without_path(BaseUrl base, std::string_view path) {
  if (base.address.ends_with(path)) base.address.remove_suffix(path.size());
  return base;
}

}  // namespace

std::string anthropic_url(std::string_view base_url, std::string_view path) {
  BaseUrl base = split(base_url);
  if (base.address.ends_with(std::string(kVersion) + std::string(path))) base = without_path(base, path);
  return joined(base, !base.address.ends_with(kVersion), path);
}

std::string openai_url(std::string_view base_url, std::string_view path) {
  const BaseUrl base = without_path(split(base_url), path);
  return joined(base, !has_path(base.address), path);
}

}  // namespace deft
