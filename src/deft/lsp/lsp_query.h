#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/lsp/answers.h"
#include "deft/lsp/language_server.h"
#include "deft/lsp/operation.h"
#include "deft/os/files.h"
#include "deft/tools/tool.h"

namespace deft::lsp {

// One question, as the model asks it.
struct LspQuery {
  Operation operation = Operation::hover;
  std::string path{};     // empty: of the project
  FileContent content{};  // of that file, as it is now
  std::size_t line = 0;
  std::optional<std::size_t> column{};  // in characters, from 1
  std::string text{};                   // a part of a name; without a column, the name in the line
};

// The error says which operations there are, and what is missing for the one that is meant.
Result<LspQuery> parse_query(const Json& input);

// Asks one server; the path is canonical and its content there. The answer's text always says something.
Result<Answer> ask_server(LanguageServer& server, const LspQuery& query, ToolIo& io);

}  // namespace deft::lsp
