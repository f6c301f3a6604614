#include "deft/lsp/file_uri.h"

#include <algorithm>

#include "deft/base/path.h"
#include "deft/core/schema_uri.h"

namespace deft::lsp {
namespace {

constexpr std::string_view kScheme = "file://";
constexpr std::string_view kHost = "localhost";
constexpr std::string_view kDigits = "0123456789ABCDEF";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

}  // namespace

std::string file_uri(std::string_view absolute_path) {
  std::string uri(kScheme);
  for (const char c : absolute_path) {
    if (is_plain(c)) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return uri;
}

std::optional<std::string> path_of_uri(std::string_view uri) {
  const std::string_view scheme = uri.substr(0, kScheme.size());
  const auto lower = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  if (!std::ranges::equal(scheme, kScheme, lower)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  if (uri.starts_with(kHost)) uri.remove_prefix(kHost.size());
  uri = uri.substr(0, uri.find_first_of("?#"));
  const auto path = schema::percent_decode(uri);
  if (!path || !path->starts_with('/') || path->find('\0') != path->npos) return std::nullopt;
  return normal_path(*path);
}

}  // namespace deft::lsp
