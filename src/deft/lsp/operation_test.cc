#include "deft/lsp/operation.h"

#include <gtest/gtest.h>

namespace deft::lsp {
namespace {

TEST(LspOperation, HasManySpellings) {
  for (const char* text :
       {"goto_definition", "definition", "goToDefinition", "gotoDefinition", "go-to-definition", "definitions"}) {
    EXPECT_EQ(parse_operation(text), Operation::definition) << text;
  }
  for (const char* text : {"find_references", "findReferences", "references", "reference"}) {
    EXPECT_EQ(parse_operation(text), Operation::references) << text;
  }
  EXPECT_EQ(parse_operation("documentSymbol"), Operation::document_symbols);
  EXPECT_EQ(parse_operation("symbols"), Operation::document_symbols);
  EXPECT_EQ(parse_operation("workspaceSymbol"), Operation::workspace_symbols);
  EXPECT_EQ(parse_operation("goToImplementation"), Operation::implementation);
  EXPECT_EQ(parse_operation("prepareCallHierarchy"), Operation::call_hierarchy);
  EXPECT_EQ(parse_operation("call_hierarchy"), Operation::call_hierarchy);
  EXPECT_EQ(parse_operation("incomingCalls"), Operation::incoming_calls);
  EXPECT_EQ(parse_operation("outgoing_calls"), Operation::outgoing_calls);
  EXPECT_EQ(parse_operation("getDiagnostics"), Operation::diagnostics);
  EXPECT_EQ(parse_operation("hover"), Operation::hover);
}

TEST(LspOperation, WhatIsNoneOfThemIsNone) {
  for (const char* text : {"", "goto", "rename", "find_", "execute_command"}) {
    EXPECT_EQ(parse_operation(text), std::nullopt) << text;
  }
}

TEST(LspOperation, EachIsFoundByTheNameThatTheDescriptionGives) {
  for (int i = 0; i <= static_cast<int>(Operation::diagnostics); ++i) {
    const auto operation = static_cast<Operation>(i);
    EXPECT_EQ(traits_of(operation).operation, operation);
    EXPECT_EQ(parse_operation(traits_of(operation).name), operation);
    EXPECT_NE(operation_names().find(traits_of(operation).name), std::string::npos);
  }
}

}  // namespace
}  // namespace deft::lsp
