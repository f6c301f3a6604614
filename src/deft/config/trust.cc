#include "deft/config/trust.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "deft/base/json.h"
#include "deft/base/whole_file.h"

namespace deft {
namespace {

constexpr std::size_t kTrustFileBytesMax = std::size_t{16} << 20;

std::string to_text(const std::vector<TrustedFolder>& folders) {
  JsonArray list;
  for (const TrustedFolder& folder : folders) {
    list.push_back(JsonObject{{"path", folder.path}, {"device", folder.device}, {"inode", folder.inode}});
  }
  return to_json(JsonObject{{"version", 1}, {"folders", std::move(list)}}) + "\n";
}

Result<std::vector<TrustedFolder>> from_text(const std::string& file, std::string_view text) {
  std::vector<TrustedFolder> folders;
  if (text.empty()) return folders;
  const auto json = parse_json(text);
  if (!json) return fail(Errc::invalid_json, file + ": " + json.error().message);
  const JsonArray* list = find_array(*json, "folders");
  if (!list) return fail(Errc::invalid_input, file + ": there is no list of folders in it");
  for (const Json& entry : *list) {
    const auto path = find_string(entry, "path");
    const auto device = find_int(entry, "device");
    const auto inode = find_int(entry, "inode");
    if (!path || !device || !inode) return fail(Errc::invalid_input, file + ": a folder in it is not complete");
    folders.push_back({std::string(*path), static_cast<std::uint64_t>(*device), static_cast<std::uint64_t>(*inode)});
  }
  return folders;
}

}  // namespace

Result<TrustedFolder> folder_identity(const std::string& path) {
  std::error_code ec;
  const auto canonical = std::filesystem::canonical(path, ec);
  struct stat status{};
  if (ec || ::stat(canonical.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return fail(Errc::not_found, path + " is not a folder");
  }
  return TrustedFolder{canonical.string(), status.st_dev, status.st_ino};
}

std::string TrustStore::default_file() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state && *state == '/') return std::string(state) + "/deft/trusted.json";
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.local/state/deft/trusted.json" : "";
}

Result<std::vector<TrustedFolder>> TrustStore::list() const {
  const auto text = read_whole_file(file_, kTrustFileBytesMax);
  if (!text && text.error().code == Errc::not_found) return std::vector<TrustedFolder>();
  if (!text) return std::unexpected(text.error());
  return from_text(file_, *text);
}

bool TrustStore::is_trusted(const std::string& path) const {
  const auto folder = folder_identity(path);
  const auto folders = list();
  return folder && folders && std::ranges::find(*folders, *folder) != folders->end();
}

Result<void> TrustStore::add(const std::string& path) const {
  if (file_.empty()) return fail(Errc::io, "there is no home folder to remember it in");
  auto folder = folder_identity(path);
  if (!folder) return std::unexpected(folder.error());
  return change_file_(file_, [&](const std::string& text) -> Result<std::string> {
    auto folders = from_text(file_, text);
    if (!folders) return std::unexpected(folders.error());
    std::erase_if(*folders, [&](const TrustedFolder& known) { return known.path == folder->path; });
    folders->push_back(*folder);
    return to_text(*folders);
  });
}

Result<void> TrustStore::remove(const std::string& path) const {
  std::error_code ec;
  const std::string canonical = std::filesystem::weakly_canonical(path, ec).string();
  return change_file_(file_, [&](const std::string& text) -> Result<std::string> {
    auto folders = from_text(file_, text);
    if (!folders) return std::unexpected(folders.error());
    std::erase_if(*folders, [&](const TrustedFolder& known) { return known.path == path || known.path == canonical; });
    return to_text(*folders);
  });
}

}  // namespace deft
