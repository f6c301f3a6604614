#include "deft/lsp/operation.h"

#include <array>

namespace deft::lsp {
namespace {

using Can = ServerAbilities;

constexpr std::array<OperationTraits, 10> kOperations = {{
    {Operation::definition, "goto_definition", "textDocument/definition", "definition", "definitions", true, false,
     &Can::definition},
    {Operation::references, "find_references", "textDocument/references", "reference", "references", true, true,
     &Can::references},
    {Operation::hover, "hover", "textDocument/hover", "description", "descriptions", true, false, &Can::hover},
    {Operation::document_symbols, "document_symbols", "textDocument/documentSymbol", "symbol", "symbols", false, false,
     &Can::document_symbols},
    {Operation::workspace_symbols, "workspace_symbols", "workspace/symbol", "symbol", "symbols", false, true,
     &Can::workspace_symbols},
    {Operation::implementation, "goto_implementation", "textDocument/implementation", "implementation",
     "implementations", true, true, &Can::implementation},
    {Operation::call_hierarchy, "prepare_call_hierarchy", "textDocument/prepareCallHierarchy", "function", "functions",
     true, false, &Can::call_hierarchy},
    {Operation::incoming_calls, "incoming_calls", "callHierarchy/incomingCalls", "caller", "callers", true, true,
     &Can::call_hierarchy},
    {Operation::outgoing_calls, "outgoing_calls", "callHierarchy/outgoingCalls", "called function", "called functions",
     true, true, &Can::call_hierarchy},
    {Operation::diagnostics, "diagnostics", "", "problem", "problems", false, false, nullptr},
}};

// Lower case, letters only, without what may be there or not: "goToDefinition" → "definition".
std::string folded(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') word += static_cast<char>(c + 32);
    if (c >= 'a' && c <= 'z') word += c;
  }
  for (const std::string_view prefix : {"goto", "find", "get", "prepare"}) {
    if (word.starts_with(prefix)) word.erase(0, prefix.size());
  }
  if (word.ends_with('s')) word.pop_back();
  return word;
}

}  // namespace

const OperationTraits& traits_of(Operation operation) { return kOperations[static_cast<std::size_t>(operation)]; }

std::optional<Operation> parse_operation(std::string_view text) {
  const std::string word = folded(text);
  for (const OperationTraits& traits : kOperations) {
    if (word == folded(traits.name)) return traits.operation;
  }
  if (word == "symbol") return Operation::document_symbols;
  return std::nullopt;
}

std::string operation_names() {
  std::string names;
  for (const OperationTraits& traits : kOperations) names += (names.empty() ? "" : ", ") + std::string(traits.name);
  return names;
}

}  // namespace deft::lsp
