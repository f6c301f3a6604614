#include "deft/agent/stale_files.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "deft/base/content_hash.h"
#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/tools/file_access.h"

namespace deft {
namespace {

constexpr std::size_t kFilesLookedAtMax = 5'000;
constexpr std::size_t kFilesNamedMax = 10;
constexpr std::size_t kComparedBytesMax = std::size_t{16} << 20;  // a larger one counts as changed

bool may_write(const Footprint& footprint, std::string_view path) {
  if (footprint.is_everything()) return true;
  return std::ranges::any_of(footprint.paths(), [&](const Footprint::PathAccess& access) {
    return access.use == Footprint::PathUse::write && is_at_or_below(path, access.path);
  });
}

bool has_other_content(const FileSeen& seen, const FileStatus& status, Files& files) {
  if (status.kind != FileKind::regular || status.size != seen.size) return true;
  const auto content = files.read(seen.path, kComparedBytesMax);
  return !content || content_hash(content->bytes) != seen.content_hash;
}

std::string hint_text(const std::vector<std::string>& paths) {
  std::vector<std::string> named(paths.begin(),
                                 paths.begin() + static_cast<std::ptrdiff_t>(std::min(paths.size(), kFilesNamedMax)));
  std::string text = "Changed since you read them: " + join(named, ", ");
  if (named.size() < paths.size()) text += " and " + std::to_string(paths.size() - named.size()) + " more";
  return text + ". Read them again before you rely on what you saw or edit them.";
}

}  // namespace

void note_stale_files(const Footprint& footprint, const SessionView& session, Files& files, bool in_details,
                      ToolResult& result) {
  std::map<std::string, const FileSeen*> own;
  std::set<std::string> told_already;  // by the call itself
  for (const Modifier& modifier : result.modifiers) {
    if (const auto* file = std::get_if<FileWasSeen>(&modifier)) own[file->seen.path] = &file->seen;
    if (const auto* looked = std::get_if<FileWasLookedAt>(&modifier)) told_already.insert(looked->path);
  }
  std::vector<std::string> paths = session.files_seen();
  for (const auto& [path, seen] : own) {
    if (!std::ranges::binary_search(paths, path)) paths.push_back(path);
  }
  std::vector<std::string> stale;
  std::vector<Modifier> told;
  std::size_t looked_at = 0;
  for (const std::string& path : paths) {
    const auto recorded = own.find(path);
    if (told_already.contains(path) || (recorded == own.end() && !may_write(footprint, path))) continue;
    if (++looked_at > kFilesLookedAtMax) break;
    const auto seen = recorded != own.end() ? std::optional(*recorded->second) : session.file_seen(path);
    const auto status = files.status(path);
    if (!seen || !status) continue;
    const std::int64_t now = status->kind == FileKind::missing ? kFileIsGoneNs : status->modified_ns;
    const bool is_as_seen = now == seen->modified_ns && status->size == seen->size;
    if (is_as_seen || now == seen->looked_at_ns) continue;
    if (has_other_content(*seen, *status, files)) stale.push_back(path);
    told.emplace_back(FileWasLookedAt{path, now});
  }
  result.modifiers.insert(result.modifiers.end(), std::make_move_iterator(told.begin()),
                          std::make_move_iterator(told.end()));
  if (stale.empty()) return;
  const std::string hint = hint_text(stale);
  result.note += "\n\n" + hint;
  if (!in_details) return;
  if (result.details.is_null()) result.details = JsonObject();
  if (result.details.is_object()) result.details.get_object()["staleReadFileStateHint"] = hint;
}

}  // namespace deft
