#pragma once

#include <memory>

#include "deft/lsp/language_servers.h"
#include "deft/tools/tool.h"

namespace deft::lsp {

inline constexpr Duration kRequestTimeMax = std::chrono::seconds(30);
inline constexpr Duration kIndexWaitMax = std::chrono::seconds(10);  // for a server that still reads the project
inline constexpr Duration kDiagnosticsTimeMax = std::chrono::seconds(15);
inline constexpr std::size_t kCallItemsMax = 5;  // of which callers are asked for; overloads have several

// LSP: asks a language server about code. Read-only; what Read may not read it does not show.
std::shared_ptr<Tool> make_lsp_tool(std::shared_ptr<LanguageServers> servers, bool enabled = true);

}  // namespace deft::lsp
