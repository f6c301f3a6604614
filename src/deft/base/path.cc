#include "deft/base/path.h"

#include <vector>

namespace deft {

std::string normal_path(std::string_view absolute) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= absolute.size();) {
    const std::size_t slash = std::min(absolute.find('/', start), absolute.size());
    const std::string_view part = absolute.substr(start, slash - start);
    start = slash + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    }
  }
  std::string out;
  for (const std::string_view part : parts) {
    out += '/';
    out += part;
  }
  return out.empty() ? "/" : out;
}

std::string absolute_path(std::string_view path, std::string_view folder) {
  if (path.starts_with('/')) return normal_path(path);
  return normal_path(std::string(folder) + "/" + std::string(path));
}

bool is_at_or_below(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/';
}

std::string_view parent_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return "/";
  return path.substr(0, slash);
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace deft
