#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/config/lsp_settings.h"

// Which language server is for which file: a table of those that deft knows by itself, and what settings add to it.

namespace deft::lsp {

// clangd, pyright and so on. Of several for one language the first that is on the machine is taken.
const std::vector<LanguageServerSpec>& known_servers();

// Those that say of themselves that they are for files of this name, the best first: what the settings say before what
// deft knows. They belong to `configured` and to known_servers().
std::vector<const LanguageServerSpec*> servers_for(std::string_view path,
                                                   const std::vector<LanguageServerSpec>& configured);

// The protocol's name for the language of the file: "cpp". Nothing: it is none of the server's.
std::optional<std::string> language_of(std::string_view path, const LanguageServerSpec& spec);

// "clangd (.c .cc …), gopls (.go)": for a file that nobody knows.
std::string known_languages(const std::vector<LanguageServerSpec>& configured);

}  // namespace deft::lsp
