#include "deft/agent/project_folders.h"

#include "deft/base/path.h"
#include "deft/os/strangers_folder.h"

namespace deft {

std::string below(const std::string& folder, std::string_view name) {
  return (folder == "/" ? "" : folder) + "/" + std::string(name);
}

std::string repository_of(const std::string& directory, Files& files) {
  for (std::string folder = directory;; folder = std::string(parent_path(folder))) {
    if (folder != directory && is_strangers(folder, directory)) return directory;
    const std::string git = below(folder, ".git");
    const auto status = files.status(git);
    if (status && status->kind != FileKind::missing) return is_strangers(git, directory) ? directory : folder;
    if (folder == "/") return directory;
  }
}

std::vector<std::string> project_folders(const std::string& directory, Files& files) {
  const std::string repository = repository_of(directory, files);
  std::vector<std::string> folders;
  for (std::string folder = directory;; folder = std::string(parent_path(folder))) {
    folders.push_back(folder);
    if (folder == repository || folder == "/") return folders;
  }
}

}  // namespace deft
