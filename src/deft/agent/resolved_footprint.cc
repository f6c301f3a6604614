#include "deft/agent/resolved_footprint.h"

#include <utility>
#include <vector>

#include "deft/base/path.h"

namespace deft {
namespace {

bool is_missing(Files& files, std::string_view path) {
  const auto status = files.status(path);
  return !status || status->kind == FileKind::missing;
}

// Folders that a write would have to create first; creating them is a write of their own.
std::vector<std::string> missing_parents(Files& files, std::string_view path) {
  std::vector<std::string> missing;
  for (std::string_view folder = parent_path(path); folder != "/" && is_missing(files, folder);) {
    missing.emplace_back(folder);
    folder = parent_path(folder);
  }
  return missing;
}

std::string nearest_folder(Files& files, std::string_view path) {
  const auto missing = missing_parents(files, path);
  return std::string(parent_path(missing.empty() ? path : std::string_view(missing.back())));
}

bool has_other_names(Files& files, const std::string& path) {
  const auto status = files.status(path);
  return status && status->kind == FileKind::regular && status->links > 1;
}

}  // namespace

Footprint resolved_footprint(Files& files, const Footprint& declared_footprint) {
  if (declared_footprint.is_everything()) return declared_footprint;
  Footprint resolved;
  resolved = std::move(resolved).and_network(declared_footprint.network()).and_session(declared_footprint.session());
  for (const auto& access : declared_footprint.paths()) {
    if (access.use == Footprint::PathUse::read && files.is_canonical(access.path)) {
      resolved = std::move(resolved).and_reads(access.path);
      continue;
    }
    const auto canonical = files.canonical(access.path);
    if (!canonical) return Footprint::everything();  // a loop of links, a folder we may not enter: unknown
    switch (access.use) {
      case Footprint::PathUse::read:
        // Who misses a file looks around for what was meant, so the names in the nearest folder are read too.
        if (is_missing(files, *canonical)) {
          resolved = std::move(resolved).and_reads_tree(nearest_folder(files, *canonical));
        }
        resolved = std::move(resolved).and_reads(*canonical);
        break;
      case Footprint::PathUse::read_tree: resolved = std::move(resolved).and_reads_tree(*canonical); break;
      case Footprint::PathUse::write:
        // A file with several names: whoever reads it under another one would not be seen to conflict.
        if (has_other_names(files, *canonical)) return Footprint::everything();
        for (std::string& folder : missing_parents(files, *canonical)) {
          resolved = std::move(resolved).and_writes(std::move(folder));
        }
        resolved = std::move(resolved).and_writes(*canonical);
        break;
    }
  }
  return resolved;
}

}  // namespace deft
