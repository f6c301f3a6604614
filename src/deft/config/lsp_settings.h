#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

inline constexpr std::size_t kLanguageServersMax = 100;
inline constexpr std::size_t kLanguageServerRestartsMax = 100;
inline constexpr Duration kDiagnosticsWaitMax = std::chrono::minutes(1);
inline constexpr Duration kLanguageServerStartMax = std::chrono::minutes(10);

// A language server, as a table or a settings file describes it.
struct LanguageServerSpec {
  std::string name;
  std::vector<std::string> programs;  // the first that is there is run; names, or absolute paths
  std::vector<std::string> arguments{};
  std::map<std::string, std::string, std::less<>> languages{};  // ".cc" → "cpp", as the protocol names languages
  std::vector<std::string> root_markers{};  // a folder that holds one of these files is a project of its own
  std::vector<std::string> environment{};   // NAME=VALUE, beside what commands get
  Json initialization_options = nullptr;
  Json settings = nullptr;  // what it is told when it asks for its configuration
  // It may run programs that the project chooses (build scripts, plugins): not in a folder that is not trusted.
  bool runs_project_code = true;
  bool works_read_only = false;  // so it runs, where the system can see to that
  std::string install{};         // how to get it, for people
  std::optional<Duration> start_time_max{};
  std::optional<std::size_t> restarts_max{};
};

// "lsp".
struct LspSettings {
  bool enabled = true;                         // "lsp.enabled"
  std::optional<Duration> diagnostics_wait{};  // "lsp.diagnosticsWaitMs": for them, after an edit
  bool diagnostics_after_edits = true;         // "lsp.diagnosticsAfterEdits"
  std::vector<LanguageServerSpec> servers{};   // "lsp.servers", in the order of the file
};

// From the whole settings object. Strict: a known key with a wrong value is an error that names it.
Result<LspSettings> parse_lsp_settings(const Json& settings);

// What "lsp.servers" holds, and a file `.lsp.json`: {"go": {"command": "gopls", "extensionToLanguage": {".go": "go"}}}.
// `origin` begins the keys that errors name; a program with a slash in it is seen from `folder`, if that is not empty.
Result<std::vector<LanguageServerSpec>> parse_language_servers(const Json& servers, std::string_view origin,
                                                               std::string_view folder);

}  // namespace deft
