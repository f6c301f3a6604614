#include "deft/shell/paths.h"

#include <algorithm>
#include <vector>

namespace deft::shell {

std::string join_paths(std::string_view base, std::string_view path) {
  std::string joined = path.starts_with('/') ? std::string(path) : std::string(base) + "/" + std::string(path);
  std::vector<std::string_view> kept;
  for (std::size_t start = 0; start < joined.size();) {
    const std::size_t end = std::min(joined.find('/', start), joined.size());
    const std::string_view name = std::string_view(joined).substr(start, end - start);
    if (name == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (!name.empty() && name != ".") {
      kept.push_back(name);
    }
    start = end + 1;
  }
  std::string normal;
  for (const std::string_view name : kept) normal += "/" + std::string(name);
  return normal.empty() ? "/" : normal;
}

}  // namespace deft::shell
