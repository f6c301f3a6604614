#include "deft/base/path.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace deft {
namespace {

constexpr std::size_t kFileNameCharactersMax = 80;

std::string hash_suffix(std::string_view id) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  char text[20];
  std::snprintf(text, sizeof text, "-%016llx", static_cast<unsigned long long>(hash));
  return text;
}

// Every part that begins with a dot is looked at closely by others.
bool is_normal(std::string_view absolute) {
  if (!absolute.starts_with('/') || absolute.ends_with('/')) return false;
  return absolute.find("//") == std::string_view::npos && absolute.find("/.") == std::string_view::npos;
}

}  // namespace

std::string normal_path(std::string_view absolute) {
  if (is_normal(absolute)) return std::string(absolute);  // as nearly all are
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

std::string safe_file_name(std::string_view id) {
  std::string name;
  for (const char c : id.substr(0, kFileNameCharactersMax)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    name += plain ? c : '_';
  }
  return name == id && !name.empty() ? name : name + hash_suffix(id);
}

}  // namespace deft
