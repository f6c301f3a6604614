#include "deft/tools/search_root.h"

#include <algorithm>
#include <cstdlib>

#include "deft/base/path.h"
#include "deft/os/files.h"
#include "deft/tools/file_access.h"

namespace deft {
namespace {

std::string seen_from(std::string_view path, std::string_view folder) {
  if (path == folder) return {};
  return std::string(path.substr(folder == "/" ? 1 : folder.size() + 1));
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

Result<SearchRoot> open_search_root(std::optional<std::string_view> path, ToolIo& io) {
  const std::string_view folder = io.session.working_directory();
  const auto canonical = allowed_path(io, path ? absolute_path(*path, folder) : std::string(folder));
  if (!canonical) return std::unexpected(canonical.error());
  const auto status = io.os.files.status(*canonical);
  if (!status) return std::unexpected(status.error());
  if (status->kind == FileKind::missing) {
    return fail(Errc::not_found, *canonical +
                                     " does not exist: give a folder or a file that does, or leave path out to "
                                     "search the working directory " +
                                     std::string(folder) + ".");
  }
  const bool is_folder = status->kind == FileKind::directory;
  if (!is_folder && status->kind != FileKind::regular) {
    return std::unexpected(not_a_regular_file(*canonical, status->kind));
  }
  SearchRoot root{.path = *canonical, .is_folder = is_folder};
  const bool inside = is_at_or_below(*canonical, folder);
  const std::string shown = inside ? seen_from(*canonical, folder) : *canonical;
  const bool needs_slash = is_folder && !shown.empty() && shown != "/";
  root.shown_prefix = needs_slash ? shown + "/" : shown;
  if (inside && needs_slash) root.below = root.shown_prefix;
  return root;
}

Footprint reads_tree_and_rules(std::string path) {
  Footprint footprint = Footprint::reads_tree(path);
  for (std::string_view folder = path; folder.starts_with('/') && folder != "/";) {
    folder = parent_path(folder);
    for (const char* name : {".gitignore", ".ignore", ".rgignore"}) {
      footprint = std::move(footprint).and_reads(absolute_path(name, folder));
    }
  }
  return footprint;
}

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string counted(std::size_t count, std::string_view noun, std::string_view plural_ending) {
  return std::to_string(count) + " " + std::string(noun) + std::string(count == 1 ? "" : plural_ending);
}

void add_line(std::string& text, std::string_view line) {
  if (line.empty()) return;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += line;
}

std::string shown_path(std::string_view path) {
  std::string shown(path);
  if (std::ranges::none_of(path, is_control)) return shown;
  std::ranges::replace_if(shown, is_control, '?');
  return shown;
}

std::string unreadable_notice(std::size_t folders, std::string_view first, std::size_t files) {
  if (folders + files == 0) return {};
  std::string text = "[Could not read ";
  if (folders > 0) text += counted(folders, "folder") + " (" + shown_path(first) + (folders > 1 ? ", …)" : ")");
  if (folders > 0 && files > 0) text += " and ";
  if (files > 0) text += counted(files, "file");
  return text + ": what is in there was not searched.]";
}

}  // namespace deft
