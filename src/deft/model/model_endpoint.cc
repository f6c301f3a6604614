#include "deft/model/model_endpoint.h"

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

std::string joined(std::string_view base_url, bool needs_version, std::string_view path) {
  return std::string(base_url) + std::string(needs_version ? kVersion : "") + std::string(path);
}

}  // namespace

std::string anthropic_url(std::string_view base_url, std::string_view path) {
  const std::string_view base = without_slashes(base_url);
  return joined(base, !base.ends_with(kVersion), path);
}

std::string openai_url(std::string_view base_url, std::string_view path) {
  const std::string_view base = without_slashes(base_url);
  return joined(base, !has_path(base), path);
}

}  // namespace deft
