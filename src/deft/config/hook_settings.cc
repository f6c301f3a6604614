#include "deft/config/hook_settings.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>

namespace deft {
namespace {

constexpr std::string_view kDisableAll = "disableAllHooks";
constexpr std::string_view kManagedOnly = "allowManagedHooksOnly";

bool is_managed(const LoadedFile& file) { return file.file.source == SettingSource::managed; }
bool is_of_folder(const LoadedFile& file) {
  return file.file.source == SettingSource::project || file.file.source == SettingSource::local;
}

const Json* given(const LoadedFile& file, std::string_view key) {
  const Json* value = find(file.json, key);
  return value && !value->is_null() ? value : nullptr;
}

class HookMerge {
 public:
  HookMerge(const std::vector<LoadedFile>& files, bool trusted) {
    for (const LoadedFile& file : files) {
      const bool counts = file.exists && !file.problem && (trusted || !is_of_folder(file));
      if (counts) files_.push_back(&file);
    }
  }

  HookConfig merge() {
    const bool managed_off = is_disabled(true);
    const bool others_off = is_disabled(false) || allows_managed_only();
    for (const LoadedFile* file : std::views::reverse(files_)) {  // the weakest first
      const Json* hooks = given(*file, "hooks");
      if (!hooks || (is_managed(*file) ? managed_off : others_off)) continue;
      add_hooks(*hooks, file->file.source, file->file.path, config_);
    }
    config_.takes_no_others = others_off;
    config_.http_urls = list("allowedHttpHookUrls");
    config_.http_variables = list("httpHookAllowedEnvVars");
    return std::move(config_);
  }

  HookPolicy policy() {
    return {.disabled = is_disabled(false),
            .disabled_by_managed = is_disabled(true),
            .managed_only = allows_managed_only()};
  }

 private:
  void problem(const LoadedFile& file, std::string_view key, std::string_view expected, std::string_view then) {
    config_.problems.push_back(file.file.path + ": " + std::string(key) + " must be " + std::string(expected) + "; " +
                               std::string(then));
  }

  // What the strongest file says that says anything.
  bool is_disabled(bool by_managed_only) {
    for (const LoadedFile* file : files_) {
      const Json* value = given(*file, kDisableAll);
      if (!value || (by_managed_only && !is_managed(*file))) continue;
      if (value->is_bool()) return value->get_bool();
      if (!by_managed_only) problem(*file, kDisableAll, "true or false", "hooks run");
    }
    return false;
  }

  bool allows_managed_only() {
    return std::ranges::any_of(files_, [this](const LoadedFile* file) {
      const Json* value = given(*file, kManagedOnly);
      if (!value || !is_managed(*file)) return false;
      if (value->is_bool()) return value->get_bool();
      problem(*file, kManagedOnly, "true or false", "it counts as true");
      return true;
    });
  }

  std::optional<std::vector<std::string>> list(std::string_view key) {
    const bool others_have_one =
        std::ranges::any_of(files_, [&](const LoadedFile* file) { return !is_of_folder(*file) && given(*file, key); });
    std::optional<std::vector<std::string>> joined;
    for (const LoadedFile* file : files_) {
      const Json* value = given(*file, key);
      if (!value || (others_have_one && is_of_folder(*file))) continue;
      if (!joined) joined.emplace();
      const bool is_list = value->is_array() &&
                           std::ranges::all_of(value->get_array(), [](const Json& entry) { return entry.is_string(); });
      if (!is_list) {
        problem(*file, key, "a list of texts", "it counts as an empty one");
        continue;
      }
      for (const Json& entry : value->get_array()) joined->emplace_back(view(entry.get_string()));
    }
    return joined;
  }

  std::vector<const LoadedFile*> files_;
  HookConfig config_;
};

}  // namespace

HookConfig merge_hooks(const std::vector<LoadedFile>& files, bool trusted) { return HookMerge(files, trusted).merge(); }

HookPolicy hook_policy(const std::vector<LoadedFile>& files, bool trusted) {
  return HookMerge(files, trusted).policy();
}

}  // namespace deft
