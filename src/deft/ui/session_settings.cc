#include "deft/ui/session_settings.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "deft/base/path.h"
#include "deft/base/stable_sort.h"
#include "deft/config/trust.h"
#include "deft/os/change_file.h"

namespace deft {
namespace {

bool is_json(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

Result<LoadedFile> load_given(const SettingsRequest& request) {
  SettingsFile file{.source = SettingSource::command_line, .path = "--settings", .root = request.directory};
  LoadedFile loaded;
  if (is_json(request.given)) {
    loaded = load_settings_text(file, request.given);
  } else {
    std::error_code ec;
    file.path = std::filesystem::absolute(request.given, ec).string();
    file.root = std::string(parent_path(file.path));
    loaded = load_settings_file(file);
    if (!loaded.exists) {
      return fail(Errc::not_found, "--settings: " + request.given + " is neither a file nor a JSON object");
    }
    if (loaded.problem) loaded.problem = "--settings: " + *loaded.problem;
  }
  if (loaded.problem) return fail(Errc::invalid_input, *loaded.problem);
  // The user is here to repair it.
  if (auto problem = first_problem(loaded.rules)) return fail(Errc::invalid_input, "--settings: " + *problem);
  return loaded;
}

// --allowedTools and --disallowedTools.
std::optional<LoadedFile> given_rules(const SettingsRequest& request) {
  if (request.allowed.empty() && request.denied.empty()) return std::nullopt;
  JsonArray allow(request.allowed.begin(), request.allowed.end());
  JsonArray deny(request.denied.begin(), request.denied.end());
  const JsonObject json{{"permissions", JsonObject{{"allow", std::move(allow)}, {"deny", std::move(deny)}}}};
  return load_settings_text(
      {.source = SettingSource::command_line, .path = "the command line", .root = request.directory}, to_json(json));
}

}  // namespace

Result<SessionSettings> load_session_settings(const SettingsRequest& request) {
  SessionSettings session;
  session.trusted = request.trust || TrustStore(TrustStore::default_file(), change_file).is_trusted(request.directory);
  const SettingsPlaces places = settings_places(request.directory);
  if (!request.given.empty()) {
    auto given = load_given(request);
    if (!given) return std::unexpected(given.error());
    session.files.push_back(std::move(*given));
  }
  if (auto rules = given_rules(request)) {
    if (auto problem = first_problem(rules->rules)) return fail(Errc::invalid_input, *problem);
    session.files.push_back(std::move(*rules));
  }
  for (const SettingsFile& file : settings_files(places, request.wanted)) {
    session.files.push_back(load_settings_file(file));
  }
  stable_sort_by(session.files, [](const LoadedFile& file) { return file.file.source; });
  auto merged = merge_settings(session.files, places, session.trusted);
  if (!merged) return std::unexpected(merged.error());
  session.merged = std::move(*merged);
  return session;
}

}  // namespace deft
