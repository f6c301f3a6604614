#include "deft/config/settings_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "deft/base/path.h"
#include "deft/config/settings.h"

namespace deft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kManagedFilesMax = 100;
constexpr std::size_t kGitFileBytesMax = 4'096;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value && *value == '/' ? value : "";
}

// A stranger's repository may have a pipe there, at which one would wait for ever, or a device that never ends.
std::string first_line(const fs::path& path) {
  std::error_code ec;
  if (!fs::is_regular_file(path, ec)) return "";
  std::ifstream file(path, std::ios::binary);
  std::string line(kGitFileBytesMax, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  return line.substr(0, line.find('\n'));
}

// The checkout that a linked worktree belongs to: its .git is a file that leads into the main repository, and that
// leads back. A stranger's repository can say the former of any folder, but not the latter. Empty: it is none.
std::string main_checkout_of(const fs::path& worktree) {
  constexpr std::string_view kGitDir = "gitdir: ";
  std::error_code ec;
  const std::string link = first_line(worktree / ".git");
  if (!link.starts_with(kGitDir)) return "";
  const fs::path own = fs::weakly_canonical(worktree / link.substr(kGitDir.size()), ec);
  const std::string common = first_line(own / "commondir");
  const std::string back = first_line(own / "gitdir");
  if (ec || common.empty() || back.empty()) return "";
  const fs::path back_path = fs::path(back).is_absolute() ? fs::path(back) : own / back;
  if (!fs::equivalent(back_path, worktree / ".git", ec) || ec) return "";
  const fs::path repository = fs::weakly_canonical(own / common, ec);
  if (ec || repository.filename() != ".git") return "";  // of a bare repository there is no checkout
  return repository.parent_path().string();
}

// Is it ours? Another user's folder says nothing about what we allow.
bool is_own(const std::string& folder) {
  struct stat status{};
  return ::stat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

// *.json of a folder, in the order of their names.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code ec;
  for (fs::directory_iterator entry(folder, ec), end; !ec && entry != end && files.size() < kManagedFilesMax;
       entry.increment(ec)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path().string());
  }
  std::ranges::sort(files, std::greater<>());  // a later one is merged over an earlier one: it is stronger
  return files;
}

void add_managed(const std::string& folder, std::vector<SettingsFile>& out) {
  const auto add = [&](std::string path) {
    out.push_back({.source = SettingSource::managed, .path = std::move(path), .root = folder});
  };
  for (std::string& path : files_in(folder + "/managed-settings.d")) add(std::move(path));
  add(folder + "/managed-settings.json");
}

Result<std::optional<std::string>> read_file(const std::string& path) {
  std::error_code ec;
  const auto status = fs::status(path, ec);
  if (status.type() == fs::file_type::not_found) return std::nullopt;
  if (!fs::is_regular_file(status)) return fail(Errc::io, "is not a file");
  if (fs::file_size(path, ec) > kSettingsBytesMax || ec) return fail(Errc::limit, "is larger than 2 MiB");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return fail(Errc::io, "cannot be read");
  return text.str();
}

}  // namespace

SettingsPlaces settings_places(std::string directory) {
  SettingsPlaces places{.directory = std::move(directory), .home = variable("HOME")};
  places.config_home = variable("XDG_CONFIG_HOME");
  if (places.config_home.empty() && !places.home.empty()) places.config_home = places.home + "/.config";
  places.claude_home = variable("CLAUDE_CONFIG_DIR");
  if (places.claude_home.empty() && !places.home.empty()) places.claude_home = places.home + "/.claude";
  return places;
}

namespace {

std::string_view without_blanks(std::string_view word) {
  while (word.starts_with(' ')) word.remove_prefix(1);
  while (word.ends_with(' ')) word.remove_suffix(1);
  return word;
}

}  // namespace

Result<WantedSources> parse_wanted_sources(std::string_view text) {
  WantedSources wanted{.user = false, .project = false, .local = false};
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = without_blanks(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (word == "user") {
      wanted.user = true;
    } else if (word == "project") {
      wanted.project = true;
    } else if (word == "local") {
      wanted.local = true;
    } else {
      return fail(Errc::invalid_input, "must be a list of user, project and local, not " + json_quote(word));
    }
  }
  return wanted;
}

std::string local_settings_root(const SettingsPlaces& places) {
  for (std::string_view folder = places.directory; folder.starts_with('/'); folder = parent_path(folder)) {
    struct stat status{};
    const std::string git = std::string(folder == "/" ? "" : folder) + "/.git";
    if (::stat(git.c_str(), &status) == 0) {
      const std::string main = S_ISDIR(status.st_mode) ? "" : main_checkout_of(folder);
      const std::string root = main.empty() ? std::string(folder) : main;
      return root == places.home || !is_own(root) ? places.directory : root;
    }
    if (folder == "/") break;
  }
  return places.directory;
}

std::vector<SettingsFile> settings_files(const SettingsPlaces& places, const WantedSources& wanted) {
  std::vector<SettingsFile> files;
  const auto add = [&](SettingSource source, const std::string& path, const std::string& root) {
    const bool is_known = std::ranges::any_of(files, [&](const SettingsFile& file) { return file.path == path; });
    if (!is_known) files.push_back({.source = source, .path = path, .root = root});
  };
  add_managed(places.system + "/deft", files);
  add_managed(places.system + "/claude-code", files);
  const std::string& directory = places.directory;
  if (wanted.local) {
    const std::string repository = local_settings_root(places);
    for (const char* folder : {"/.deft", "/.claude"}) {
      add(SettingSource::local, repository + folder + "/settings.local.json", directory);
      add(SettingSource::local, directory + folder + "/settings.local.json", directory);
    }
  }
  if (wanted.project) {
    for (const char* folder : {"/.deft", "/.claude"}) {
      add(SettingSource::project, directory + folder + "/settings.json", directory);
    }
  }
  if (!wanted.user) return files;
  if (!places.config_home.empty()) {
    add(SettingSource::user, places.config_home + "/deft/settings.json", places.config_home + "/deft");
  }
  if (!places.claude_home.empty()) {
    add(SettingSource::user, places.claude_home + "/settings.json", places.claude_home);
  }
  return files;
}

LoadedFile load_settings_text(const SettingsFile& file, std::string_view text) {
  LoadedFile loaded{.file = file, .exists = true};
  const auto broken = [&](const std::string& why) {
    loaded.problem = file.path + ": " + why;
    loaded.rules = {};
    loaded.json = JsonObject{};
    return loaded;
  };
  auto json = parse_json(text, {.bytes_max = kSettingsBytesMax});
  if (!json) return broken(json.error().message);
  if (!json->is_object()) return broken("the settings must be a JSON object");
  const Json* permissions = find(*json, "permissions");
  if (permissions && !permissions->is_object()) return broken("permissions must be an object");
  if (permissions) {
    auto rules = parse_permission_rules(*permissions);
    if (!rules) return broken(rules.error().message);
    loaded.rules = std::move(*rules);
  }
  loaded.json = std::move(*json);
  return loaded;
}

LoadedFile load_settings_file(const SettingsFile& file) {
  auto text = read_file(file.path);
  if (!text) {
    return {.file = file, .exists = true, .problem = file.path + " " + text.error().message};
  }
  if (!*text) return {.file = file};
  return load_settings_text(file, **text);
}

}  // namespace deft
