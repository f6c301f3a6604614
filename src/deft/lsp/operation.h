#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "deft/lsp/handshake.h"

namespace deft::lsp {

// What the LSP tool can be asked for.
enum class Operation : std::uint8_t {
  definition,
  references,
  hover,
  document_symbols,
  workspace_symbols,
  implementation,
  call_hierarchy,
  incoming_calls,
  outgoing_calls,
  diagnostics,
};

struct OperationTraits {
  Operation operation;
  std::string_view name;    // as the tool's description has it
  std::string_view method;  // of the protocol; empty: it has none of its own
  std::string_view noun;    // "definition": what is found
  std::string_view plural;
  bool at_position;                 // it is about a place in a file
  bool about_project;               // the answer depends on files that the server may not have read yet
  bool ServerAbilities::* ability;  // null: every server
};
const OperationTraits& traits_of(Operation operation);

// By its name, also without "goto_" and "find_", in the plural or not, in camelCase as editors have it.
std::optional<Operation> parse_operation(std::string_view text);
std::string operation_names();  // "goto_definition, find_references, …"

}  // namespace deft::lsp
