#include "deft/lsp/handshake.h"

#include <algorithm>
#include <array>
#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/lsp/file_uri.h"

namespace deft::lsp {
namespace {

constexpr std::size_t kNameCharactersMax = 100;
constexpr int kSymbolKinds = 26;
constexpr std::size_t kRegistrationsMax = 1'000;

Json folder_of(std::string_view root) { return JsonObject{{"uri", file_uri(root)}, {"name", file_name(root)}}; }

Json client_capabilities() {
  JsonArray kinds;
  for (int kind = 1; kind <= kSymbolKinds; ++kind) kinds.push_back(kind);
  const Json symbol_kinds = JsonObject{{"valueSet", std::move(kinds)}};
  const Json plain = JsonObject{{"dynamicRegistration", true}};
  JsonObject document;
  document["synchronization"] = JsonObject{{"dynamicRegistration", false}, {"didSave", true}};
  document["definition"] = JsonObject{{"dynamicRegistration", true}, {"linkSupport", true}};
  document["implementation"] = JsonObject{{"dynamicRegistration", true}, {"linkSupport", true}};
  document["references"] = plain;
  document["hover"] = JsonObject{{"dynamicRegistration", true}, {"contentFormat", JsonArray{"markdown", "plaintext"}}};
  document["documentSymbol"] = JsonObject{
      {"dynamicRegistration", true}, {"hierarchicalDocumentSymbolSupport", true}, {"symbolKind", symbol_kinds}};
  document["callHierarchy"] = plain;
  document["publishDiagnostics"] = JsonObject{{"versionSupport", true}, {"relatedInformation", false}};
  document["diagnostic"] = JsonObject{{"dynamicRegistration", true}, {"relatedDocumentSupport", false}};

  JsonObject workspace;
  workspace["applyEdit"] = false;
  workspace["configuration"] = true;
  workspace["workspaceFolders"] = true;
  workspace["didChangeConfiguration"] = plain;
  workspace["didChangeWatchedFiles"] = JsonObject{{"dynamicRegistration", true}, {"relativePatternSupport", true}};
  workspace["symbol"] = JsonObject{{"dynamicRegistration", true}, {"symbolKind", symbol_kinds}};
  workspace["diagnostics"] = JsonObject{{"refreshSupport", true}};

  return JsonObject{{"general", JsonObject{{"positionEncodings", JsonArray{"utf-8", "utf-16", "utf-32"}}}},
                    {"textDocument", std::move(document)},
                    {"workspace", std::move(workspace)},
                    {"window", JsonObject{{"workDoneProgress", true}}}};
}

// true, or an object with options.
bool is_offered(const Json* provider) {
  return provider && (provider->is_object() || (provider->is_bool() && provider->get_bool()));
}

struct AbilityMethod {
  std::string_view method;
  std::string_view provider;
  bool ServerAbilities::* ability;
};
constexpr std::array<AbilityMethod, 9> kAbilities = {{
    {"textDocument/definition", "definitionProvider", &ServerAbilities::definition},
    {"textDocument/references", "referencesProvider", &ServerAbilities::references},
    {"textDocument/hover", "hoverProvider", &ServerAbilities::hover},
    {"textDocument/documentSymbol", "documentSymbolProvider", &ServerAbilities::document_symbols},
    {"workspace/symbol", "workspaceSymbolProvider", &ServerAbilities::workspace_symbols},
    {"textDocument/implementation", "implementationProvider", &ServerAbilities::implementation},
    {"textDocument/prepareCallHierarchy", "callHierarchyProvider", &ServerAbilities::call_hierarchy},
    {"textDocument/diagnostic", "diagnosticProvider", &ServerAbilities::pulls_diagnostics},
    {"workspace/didChangeWatchedFiles", "", &ServerAbilities::watches_files},  // said later only
}};

void take_back(ServerAbilities& abilities, const JsonArray* registrations) {
  if (!registrations) return;
  for (const Json& registration : *registrations) {
    const auto found = abilities.registered.find(std::string(find_string(registration, "id").value_or("")));
    if (found == abilities.registered.end()) continue;
    const auto ability = found->second;
    abilities.registered.erase(found);
    abilities.*ability =
        std::ranges::any_of(abilities.registered, [&](const auto& other) { return other.second == ability; });
  }
}

// Of "a.b.c" the value in an object of objects; everything without a section. Not there: null, as the protocol wants.
Json section_of(const Json& settings, std::string_view section) {
  const Json* value = &settings;
  while (!section.empty()) {
    const std::string_view key = section.substr(0, section.find('.'));
    section.remove_prefix(std::min(section.size(), key.size() + 1));
    value = find(*value, key);
    if (!value) return nullptr;
  }
  return *value;
}

}  // namespace

Json initialize_params(const LanguageServerSpec& spec, std::string_view root) {
  JsonObject params;
  // Servers look every few seconds whether that process still takes signals, and end if not. One that runs so that it
  // can change nothing may signal nobody; and it ends with us in any case, because it belongs to the warden.
  params["processId"] = nullptr;
  params["clientInfo"] = JsonObject{{"name", "deft"}, {"version", DEFT_VERSION}};
  params["locale"] = "en";
  params["rootPath"] = root;
  params["rootUri"] = file_uri(root);
  params["workspaceFolders"] = JsonArray{folder_of(root)};
  params["capabilities"] = client_capabilities();
  if (!spec.initialization_options.is_null()) params["initializationOptions"] = spec.initialization_options;
  return params;
}

ServerAbilities read_abilities(const Json& initialize_result) {
  ServerAbilities abilities;
  const Json none = nullptr;
  const Json* found = find(initialize_result, "capabilities");
  const Json& said = found ? *found : none;
  for (const AbilityMethod& known : kAbilities) {
    abilities.*known.ability = is_offered(find(said, known.provider));
  }
  const auto encoding = find_string(said, "positionEncoding");
  // clangd had a name of its own for it before the protocol did.
  const auto older = find_string(initialize_result, "offsetEncoding");
  const std::string_view unit = encoding ? *encoding : older.value_or("utf-16");
  if (unit == "utf-8") abilities.unit = ColumnUnit::utf8;
  if (unit == "utf-32") abilities.unit = ColumnUnit::utf32;
  if (const Json* sync = find(said, "textDocumentSync")) {
    const Json* save = find(*sync, "save");
    abilities.wants_saves = is_offered(save);
    abilities.wants_saved_text = save && find_bool(*save, "includeText").value_or(false);
  }
  if (const Json* info = find(initialize_result, "serverInfo")) {
    abilities.name = one_line(find_string(*info, "name").value_or(""), kNameCharactersMax);
    const auto version = find_string(*info, "version");
    if (version) abilities.name += " " + one_line(*version, kNameCharactersMax);
  }
  return abilities;
}

void register_abilities(ServerAbilities& abilities, const Json& params) {
  const JsonArray* registrations = find_array(params, "registrations");
  if (!registrations) return;
  for (const Json& registration : *registrations) {
    const auto method = find_string(registration, "method");
    const auto known = std::ranges::find_if(kAbilities, [&](const AbilityMethod& one) { return method == one.method; });
    if (known == kAbilities.end() || abilities.registered.size() >= kRegistrationsMax) continue;
    abilities.registered[std::string(find_string(registration, "id").value_or(""))] = known->ability;
    abilities.*known->ability = true;
  }
}

void unregister_abilities(ServerAbilities& abilities, const Json& params) {
  // The protocol's own spelling mistake; some spell it right.
  take_back(abilities, find_array(params, "unregisterations"));
  take_back(abilities, find_array(params, "unregistrations"));
}

std::expected<Json, RpcError> answer_server(std::string_view method, const Json& params, const LanguageServerSpec& spec,
                                            std::string_view root) {
  if (method == "workspace/configuration") {
    JsonArray values;
    if (const JsonArray* items = find_array(params, "items")) {
      for (const Json& item : *items) {
        values.push_back(section_of(spec.settings, find_string(item, "section").value_or("")));
      }
    }
    return values;
  }
  if (method == "workspace/workspaceFolders") return JsonArray{folder_of(root)};
  if (method == "workspace/applyEdit") {
    return JsonObject{{"applied", false}, {"failureReason", "deft lets no language server change files"}};
  }
  if (method == "client/registerCapability" || method == "client/unregisterCapability" ||
      method == "window/workDoneProgress/create" || method == "window/showMessageRequest" ||
      method == "workspace/diagnostic/refresh" || method == "workspace/semanticTokens/refresh" ||
      method == "workspace/inlayHint/refresh" || method == "workspace/codeLens/refresh" ||
      method == "workspace/inlineValue/refresh" || method == "workspace/foldingRange/refresh") {
    return nullptr;
  }
  if (method == "window/showDocument") return JsonObject{{"success", false}};
  return std::unexpected(RpcError{.code = kRpcMethodNotFound, .message = "deft does not know this request"});
}

}  // namespace deft::lsp
