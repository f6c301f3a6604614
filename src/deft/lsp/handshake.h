#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "deft/base/json.h"
#include "deft/base/json_rpc.h"
#include "deft/config/lsp_settings.h"
#include "deft/core/source_lines.h"

// What client and server tell each other about themselves: pure.

namespace deft::lsp {

// The parameters of "initialize".
Json initialize_params(const LanguageServerSpec& spec, std::string_view root);

// What a server can do, by what it answered. What it did not say it cannot.
struct ServerAbilities {
  ColumnUnit unit = ColumnUnit::utf16;
  bool definition = false;
  bool references = false;
  bool hover = false;
  bool document_symbols = false;
  bool workspace_symbols = false;
  bool implementation = false;
  bool call_hierarchy = false;
  bool pulls_diagnostics = false;  // it is asked for them; it may publish others all the same
  bool watches_files = false;      // it wants to know of files that change without being shown to it
  bool wants_saves = false;
  bool wants_saved_text = false;
  std::string name = {};                                           // and version, as it calls itself
  std::map<std::string, bool ServerAbilities::*> registered = {};  // later, by the id of the registration
};
ServerAbilities read_abilities(const Json& initialize_result);
// A server may say later what it can do, and that it cannot any more; it may register the same twice before it takes
// one of them back.
void register_abilities(ServerAbilities& abilities, const Json& params);
void unregister_abilities(ServerAbilities& abilities, const Json& params);

// What a request of the server is answered by. Registrations are accepted, configuration is what the spec says, edits
// of files are refused: a language server changes nothing here.
std::expected<Json, RpcError> answer_server(std::string_view method, const Json& params, const LanguageServerSpec& spec,
                                            std::string_view root);

}  // namespace deft::lsp
