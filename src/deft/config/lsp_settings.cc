#include "deft/config/lsp_settings.h"

#include <utility>

#include "deft/base/path.h"
#include "deft/config/wrong_setting.h"

namespace deft {
namespace {

std::string_view key_of(const boost::json::key_value_pair& member) {
  return {member.key().data(), member.key().size()};
}

Result<void> parse_flag(const Json& object, std::string_view key, const std::string& full_key, bool& into) {
  const Json* value = find(object, key);
  if (!value) return {};
  if (!value->is_bool()) return wrong_setting(full_key, "true or false", *value);
  into = value->get_bool();
  return {};
}

Result<void> parse_program(const Json& server, const std::string& key, std::string_view folder,
                           LanguageServerSpec& spec) {
  const Json* command = find(server, "command");
  if (!command) return fail(Errc::invalid_input, key + ".command is missing: the program to run");
  if (!command->is_string() || command->get_string().empty()) {
    return wrong_setting(key + ".command", "a program", *command);
  }
  std::string program(view(command->get_string()));
  const bool is_relative = program.find('/') != program.npos && !program.starts_with('/');
  if (is_relative && folder.empty()) return wrong_setting(key + ".command", "a name or an absolute path", *command);
  if (is_relative) program = absolute_path(program, folder);
  spec.programs = {std::move(program)};
  return {};
}

Result<void> parse_texts(const Json& server, std::string_view name, const std::string& key,
                         std::vector<std::string>& into) {
  const Json* list = find(server, name);
  if (!list) return {};
  const std::string full_key = key + "." + std::string(name);
  if (!list->is_array()) return wrong_setting(full_key, "a list of texts", *list);
  for (const Json& entry : list->get_array()) {
    if (!entry.is_string()) return wrong_setting(full_key, "a list of texts", *list);
    into.emplace_back(view(entry.get_string()));
  }
  return {};
}

Result<void> parse_languages(const Json& server, const std::string& key, LanguageServerSpec& spec) {
  const Json* languages = find(server, "extensionToLanguage");
  const std::string full_key = key + ".extensionToLanguage";
  if (!languages) return fail(Errc::invalid_input, full_key + R"( is missing, such as {".go": "go"})");
  if (!languages->is_object() || languages->get_object().empty()) {
    return wrong_setting(full_key, R"(an object such as {".go": "go"})", *languages);
  }
  for (const auto& member : languages->get_object()) {
    const std::string_view extension = key_of(member);
    if (extension.size() < 2 || !extension.starts_with('.') || extension.find('/') != extension.npos ||
        !member.value().is_string() || member.value().get_string().empty()) {
      return wrong_setting(full_key, R"(an object such as {".go": "go"})", *languages);
    }
    spec.languages[std::string(extension)] = view(member.value().get_string());
  }
  return {};
}

Result<void> parse_environment(const Json& server, const std::string& key, LanguageServerSpec& spec) {
  const Json* variables = find(server, "env");
  if (!variables) return {};
  if (!variables->is_object()) return wrong_setting(key + ".env", "an object of texts", *variables);
  for (const auto& member : variables->get_object()) {
    const std::string_view name = key_of(member);
    if (name.empty() || name.find('=') != name.npos || !member.value().is_string()) {
      return wrong_setting(key + ".env", "an object of texts", *variables);
    }
    spec.environment.push_back(std::string(name) + "=" + std::string(view(member.value().get_string())));
  }
  return {};
}

Result<void> parse_limits(const Json& server, const std::string& key, LanguageServerSpec& spec) {
  if (const Json* start = find(server, "startupTimeout")) {
    const auto milliseconds = find_int(server, "startupTimeout");
    if (!milliseconds || *milliseconds <= 0 || std::chrono::milliseconds(*milliseconds) > kLanguageServerStartMax) {
      return wrong_setting(key + ".startupTimeout", "a number of milliseconds, at most 600000", *start);
    }
    spec.start_time_max = std::chrono::milliseconds(*milliseconds);
  }
  if (const Json* restarts = find(server, "maxRestarts")) {
    const auto count = find_int(server, "maxRestarts");
    if (!count || *count < 0 || static_cast<std::size_t>(*count) > kLanguageServerRestartsMax) {
      return wrong_setting(key + ".maxRestarts", "a number from 0 to 100", *restarts);
    }
    spec.restarts_max = static_cast<std::size_t>(*count);
  }
  bool restarts = true;
  if (auto parsed = parse_flag(server, "restartOnCrash", key + ".restartOnCrash", restarts); !parsed) return parsed;
  if (!restarts) spec.restarts_max = 0;
  return {};
}

Result<LanguageServerSpec> parse_server(const Json& server, std::string name, const std::string& key,
                                        std::string_view folder) {
  if (!server.is_object()) return wrong_setting(key, "an object", server);
  LanguageServerSpec spec{.name = std::move(name), .programs = {}};
  if (auto parsed = parse_program(server, key, folder, spec); !parsed) return std::unexpected(parsed.error());
  if (auto parsed = parse_texts(server, "args", key, spec.arguments); !parsed) return std::unexpected(parsed.error());
  if (auto parsed = parse_texts(server, "rootMarkers", key, spec.root_markers); !parsed) {
    return std::unexpected(parsed.error());
  }
  if (auto parsed = parse_languages(server, key, spec); !parsed) return std::unexpected(parsed.error());
  if (auto parsed = parse_environment(server, key, spec); !parsed) return std::unexpected(parsed.error());
  if (auto parsed = parse_limits(server, key, spec); !parsed) return std::unexpected(parsed.error());
  const Json* transport = find(server, "transport");
  if (transport && *transport != "stdio") {
    return wrong_setting(key + ".transport", "\"stdio\": deft speaks to language servers by their standard input",
                         *transport);
  }
  if (const Json* options = find(server, "initializationOptions")) spec.initialization_options = *options;
  if (const Json* settings = find(server, "settings")) spec.settings = *settings;
  if (auto parsed = parse_flag(server, "runsProjectCode", key + ".runsProjectCode", spec.runs_project_code); !parsed) {
    return std::unexpected(parsed.error());
  }
  if (auto parsed = parse_flag(server, "readOnly", key + ".readOnly", spec.works_read_only); !parsed) {
    return std::unexpected(parsed.error());
  }
  return spec;
}

}  // namespace

Result<std::vector<LanguageServerSpec>> parse_language_servers(const Json& servers, std::string_view origin,
                                                               std::string_view folder) {
  if (!servers.is_object()) return wrong_setting(origin, "an object of language servers", servers);
  if (servers.get_object().size() > kLanguageServersMax) {
    return fail(Errc::limit,
                std::string(origin) + " names more than " + std::to_string(kLanguageServersMax) + " language servers");
  }
  std::vector<LanguageServerSpec> specs;
  for (const auto& member : servers.get_object()) {
    const std::string name(key_of(member));
    auto spec = parse_server(member.value(), name, std::string(origin) + "." + name, folder);
    if (!spec) return std::unexpected(spec.error());
    specs.push_back(std::move(*spec));
  }
  return specs;
}

Result<LspSettings> parse_lsp_settings(const Json& settings) {
  LspSettings lsp;
  const Json* object = find(settings, "lsp");
  if (!object) return lsp;
  if (!object->is_object()) return wrong_setting("lsp", "an object", *object);
  if (auto parsed = parse_flag(*object, "enabled", "lsp.enabled", lsp.enabled); !parsed) {
    return std::unexpected(parsed.error());
  }
  if (auto parsed =
          parse_flag(*object, "diagnosticsAfterEdits", "lsp.diagnosticsAfterEdits", lsp.diagnostics_after_edits);
      !parsed) {
    return std::unexpected(parsed.error());
  }
  if (const Json* wait = find(*object, "diagnosticsWaitMs")) {
    const auto milliseconds = find_int(*object, "diagnosticsWaitMs");
    if (!milliseconds || *milliseconds < 0 || std::chrono::milliseconds(*milliseconds) > kDiagnosticsWaitMax) {
      return wrong_setting("lsp.diagnosticsWaitMs", "a number of milliseconds, at most 60000", *wait);
    }
    lsp.diagnostics_wait = std::chrono::milliseconds(*milliseconds);
  }
  if (const Json* servers = find(*object, "servers")) {
    auto parsed = parse_language_servers(*servers, "lsp.servers", "");
    if (!parsed) return std::unexpected(parsed.error());
    lsp.servers = std::move(*parsed);
  }
  return lsp;
}

}  // namespace deft
