#include "deft/agent/project_folders.h"

#include "deft/base/path.h"

namespace deft {

std::string below(const std::string& folder, std::string_view name) {
  return (folder == "/" ? "" : folder) + "/" + std::string(name);
}

std::string repository_of(const std::string& directory, Files& files) {
  for (std::string_view folder = directory;; folder = parent_path(folder)) {
    const auto status = files.status(below(std::string(folder), ".git"));
    if (status && status->kind != FileKind::missing) return std::string(folder);
    if (folder == "/") return directory;
  }
}

std::vector<std::string> project_folders(const std::string& directory, Files& files) {
  const std::string repository = repository_of(directory, files);
  std::vector<std::string> folders;
  for (std::string_view folder = directory;; folder = parent_path(folder)) {
    folders.emplace_back(folder);
    if (folder == repository || folder == "/") return folders;
  }
}

}  // namespace deft
