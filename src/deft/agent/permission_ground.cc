#include "deft/agent/permission_ground.h"

#include <utility>

#include "deft/core/pattern_matches.h"
#include "deft/os/disk_files.h"
#include "deft/tools/read_only_judge.h"

namespace deft {

void put_on_ground(PermissionSetup& setup, Files& files) {
  setup.resolve = [&files](const std::string& path) -> std::optional<std::string> {
    auto canonical = files.canonical(path);
    if (!canonical) return std::nullopt;
    return std::move(*canonical);
  };
  setup.list = [&files](const std::string& folder) -> std::optional<std::vector<std::string>> {
    const auto canonical = files.canonical(folder);
    if (!canonical) return std::nullopt;
    const auto status = files.status(*canonical);
    if (!status) return std::nullopt;
    if (status->kind != FileKind::directory) return std::vector<std::string>();  // nothing is in it
    auto names = files.list(*canonical, kPatternMatchesMax + 1);
    if (!names || names->size() > kPatternMatchesMax) return std::nullopt;
    return std::move(*names);
  };
  setup.files = file_view_of_disk();
}

void put_on_ground(PermissionSetup& setup) {
  static DiskFiles files;
  put_on_ground(setup, files);
}

}  // namespace deft
