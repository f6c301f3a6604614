#include "deft/ui/settings_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "deft/config/settings_writer.h"
#include "deft/config/trust.h"
#include "deft/os/change_file.h"

namespace deft {
namespace {

// Which files are settings depends on where the repository begins, which is not looked for with every message.
constexpr std::chrono::seconds kPlacesLife{1};

std::string look_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return path + " -\n";
  const auto time = [](const timespec& at) { return std::to_string(at.tv_sec) + "." + std::to_string(at.tv_nsec); };
  return path + " " + std::to_string(status.st_dev) + " " + std::to_string(status.st_ino) + " " +
         std::to_string(status.st_size) + " " + time(status.st_mtim) + " " + time(status.st_ctim) + "\n";
}

Result<std::string> file_of(SettingSource destination, const SettingsPlaces& places) {
  switch (destination) {
    case SettingSource::local: return local_settings_root(places) + "/.deft/settings.local.json";
    case SettingSource::project: return places.directory + "/.deft/settings.json";
    case SettingSource::user:
      if (places.config_home.empty()) return fail(Errc::not_found, "there is no home folder for the user's settings");
      return places.config_home + "/deft/settings.json";
    case SettingSource::managed:
    case SettingSource::command_line:
    case SettingSource::session: break;
  }
  return fail(Errc::invalid_input, "nothing is written to the " + std::string(to_string(destination)) + " settings");
}

// Whatever has a say in what the settings are, whether it is there or not.
std::vector<std::string> files_that_count(const SettingsRequest& request, const SettingsPlaces& places) {
  std::vector<std::string> paths;
  if (!request.given.empty()) {
    std::error_code ec;
    const auto given = std::filesystem::absolute(request.given, ec);
    if (!ec) paths.push_back(given.string());
  }
  for (SettingsFile& file : settings_files(places, request.wanted)) paths.push_back(std::move(file.path));
  paths.push_back(TrustStore::default_file());
  return paths;
}

std::string signature_of(const std::vector<std::string>& paths) {
  std::string signature;
  for (const std::string& path : paths) signature += look_of(path);
  return signature;
}

// Folders in which further ones may appear.
std::vector<std::string> and_their_folders(std::vector<std::string> paths, const SettingsPlaces& places) {
  for (const char* folder : {"/deft", "/claude-code"}) paths.push_back(places.system + folder + "/managed-settings.d");
  return paths;
}

}  // namespace

std::string settings_signature(const SettingsRequest& request) {
  return signature_of(files_that_count(request, settings_places(request.directory)));
}

namespace {

bool is_listed(std::string_view signature, std::string_view look) {
  return ("\n" + std::string(signature)).contains("\n" + std::string(look));
}

// Both signatures list the same files in the same order.
std::vector<PermissionStore::ChangedFile> changed_files(const SettingsRequest& request, std::string_view before,
                                                        std::string_view after) {
  std::vector<PermissionStore::ChangedFile> changed;
  for (const SettingsFile& file : settings_files(settings_places(request.directory), request.wanted)) {
    const std::string look = look_of(file.path);
    if (is_listed(after, look) && !is_listed(before, look)) changed.push_back({file.source, file.path});
  }
  return changed;
}

}  // namespace

Result<void> SettingsStore::keep(SettingSource destination, const std::vector<std::string>& rules) {
  const auto file = file_of(destination, settings_places(request_.directory));
  if (!file) return std::unexpected(file.error());
  return write_own(*file, [&]() -> Result<void> {
    for (const std::string& rule : rules) {
      if (auto written = write_rule(*file, RuleList::allow, rule, change_file); !written) return written;
    }
    return {};
  });
}

Result<void> SettingsStore::write(SettingSource destination, std::string_view key, const Json& value) {
  const auto file = file_of(destination, settings_places(request_.directory));
  if (!file) return std::unexpected(file.error());
  return write_own(*file, [&] { return write_value(*file, key, value, change_file); });
}

Result<void> SettingsStore::write_own(const std::string& file, const std::function<Result<void>()>& write) {
  {
    const std::lock_guard lock(own_mutex_);
    being_written_.push_back(file);
  }
  Result<void> written = write();
  const std::lock_guard lock(own_mutex_);
  being_written_.erase(std::ranges::find(being_written_, file));
  own_writes_ += look_of(file);
  return written;
}

// Somebody else has: then people are told.
bool SettingsStore::others_changed(std::string_view signature) {
  const std::lock_guard lock(own_mutex_);
  bool has_any = false;
  for (std::string_view rest = signature; !rest.empty();) {
    const std::string_view look = rest.substr(0, rest.find('\n') + 1);
    rest.remove_prefix(look.size());
    const bool is_own = is_listed(own_writes_, look) || std::ranges::any_of(being_written_, [&](const auto& file) {
                          return look.starts_with(file + " ");
                        });
    has_any = has_any || (!is_own && !is_listed(signature_, look));
  }
  return has_any;
}

void SettingsStore::use(SettingsRequest request) {
  request_ = std::move(request);
  is_changed_ = true;
}

bool SettingsStore::looks_as_before() const {
  return std::chrono::steady_clock::now() - looked_for_ < kPlacesLife && looks_.are_unchanged();
}

std::optional<PermissionStore::Changed> SettingsStore::reload() {
  if (!is_changed_ && looks_as_before()) return std::nullopt;
  looked_for_ = std::chrono::steady_clock::now();
  const SettingsPlaces places = settings_places(request_.directory);
  const std::vector<std::string> paths = files_that_count(request_, places);
  looks_ = FileLooks(and_their_folders(paths, places));
  std::string signature = signature_of(paths);
  const bool was_used = std::exchange(is_changed_, false);
  if (!was_used && signature == signature_) return std::nullopt;
  std::vector<ChangedFile> files = changed_files(request_, signature_, signature);
  const bool is_news = others_changed(signature) && !was_used;
  signature_ = std::move(signature);
  auto session = load_session_settings(request_);
  if (!session) {
    Changed changed{.setup = last_,
                    .notices = {"The settings have changed and cannot be used: " + session.error().message +
                                "; until that is repaired, everything is asked for."}};
    PermissionSource broken{.rules = {}, .source = SettingSource::command_line, .origin = "changed settings"};
    broken.rules.deny.push_back({.text = "changed settings", .tool = {}, .problem = session.error().message});
    changed.setup.sources.push_back(std::move(broken));
    return changed;
  }
  last_ = session->merged.permissions;
  Changed changed{.setup = last_, .notices = {}};
  if (is_news) changed.notices.emplace_back("The settings have changed; the new ones count from now on.");
  changed.files = std::move(files);
  changed.adopt = [use = use_hooks_, hooks = std::move(session->merged.hooks)] {
    if (use) use(hooks);
  };
  if (!is_news && !was_used) return changed;  // what is wrong with them was said
  for (std::string& problem : session->merged.problems) changed.notices.push_back(std::move(problem));
  return changed;
}

}  // namespace deft
