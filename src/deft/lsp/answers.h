#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/lsp/source_view.h"

// What servers answer, as text for a model: one line for each thing found, sorted by place, bounded.

namespace deft::lsp {

inline constexpr std::size_t kAnswerLinesMax = 200;
inline constexpr std::size_t kHoverCharactersMax = 10'000;
inline constexpr std::size_t kSymbolDepthMax = 20;
inline constexpr std::size_t kSymbolCharactersMax = 200;

struct Answer {
  std::string text{};       // empty: nothing was found
  std::size_t results = 0;  // without those that are hidden
  std::size_t files = 0;
  std::size_t hidden = 0;
};

// Of Location, Location[], LocationLink[] or null.
Answer answer_locations(const Json& result, SourceView& view);
// Of Hover or null.
Answer answer_hover(const Json& result);
// Of DocumentSymbol[] or SymbolInformation[]: lines and columns of one file, indented by what contains what.
Answer answer_document_symbols(const Json& result, const std::string& path, SourceView& view);
// Of SymbolInformation[] or WorkspaceSymbol[].
Answer answer_workspace_symbols(const Json& result, SourceView& view);
// Of CallHierarchyItem[].
Answer answer_call_items(const Json& result, SourceView& view);
// Of CallHierarchyIncomingCall[] ("from") and CallHierarchyOutgoingCall[] ("to"). `calls_in` is where the calls of the
// latter stand.
Answer answer_incoming_calls(const JsonArray& calls, SourceView& view);
Answer answer_outgoing_calls(const JsonArray& calls, const std::string& calls_in, SourceView& view);
Answer answer_diagnostics(const std::vector<Diagnostic>& list, const std::string& path, SourceView& view);

}  // namespace deft::lsp
