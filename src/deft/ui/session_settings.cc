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

// A file, or JSON itself.
Result<LoadedFile> load_given(const std::string& given, const std::string& flag, SettingSource source,
                              const std::string& directory) {
  SettingsFile file{.source = source, .path = flag, .root = directory};
  LoadedFile loaded;
  if (is_json(given)) {
    loaded = load_settings_text(file, given);
  } else {
    std::error_code ec;
    file.path = std::filesystem::absolute(given, ec).string();
    file.root = std::string(parent_path(file.path));
    loaded = load_settings_file(file);
    if (!loaded.exists) return fail(Errc::not_found, flag + ": " + given + " is neither a file nor a JSON object");
    if (loaded.problem) loaded.problem = flag + ": " + *loaded.problem;
  }
  if (loaded.problem) return fail(Errc::invalid_input, *loaded.problem);
  // The user is here to repair it.
  if (auto problem = first_problem(loaded.rules)) return fail(Errc::invalid_input, flag + ": " + *problem);
  return loaded;
}

// --allowedTools and --disallowedTools, and what a host says of its servers' tools.
std::optional<LoadedFile> given_rules(const SettingsRequest& request) {
  JsonArray allow(request.allowed.begin(), request.allowed.end());
  JsonArray ask(request.host_asked.begin(), request.host_asked.end());
  JsonArray deny(request.denied.begin(), request.denied.end());
  deny.insert(deny.end(), request.host_denied.begin(), request.host_denied.end());
  if (allow.empty() && ask.empty() && deny.empty()) return std::nullopt;
  const JsonObject json{
      {"permissions", JsonObject{{"allow", std::move(allow)}, {"ask", std::move(ask)}, {"deny", std::move(deny)}}}};
  return load_settings_text(
      {.source = SettingSource::command_line, .path = "the command line", .root = request.directory}, to_json(json));
}

}  // namespace

Result<SessionSettings> load_session_settings(const SettingsRequest& request) {
  SessionSettings session;
  session.trusted = request.trust || TrustStore(TrustStore::default_file(), change_file).is_trusted(request.directory);
  const SettingsPlaces places = settings_places(request.directory);
  const struct {
    const std::string& given;
    const char* flag;
    SettingSource source;
  } of_command_line[] = {{request.managed, "--managed-settings", SettingSource::managed},
                         {request.given, "--settings", SettingSource::command_line}};
  for (const auto& [given, flag, source] : of_command_line) {
    if (given.empty()) continue;
    auto loaded = load_given(given, flag, source, request.directory);
    if (!loaded) return std::unexpected(loaded.error());
    session.files.push_back(std::move(*loaded));
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
